import type { ObjectStore } from "../../../core/object-store.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import type { Shell } from "../../shell/shell.ts";
import { type ConfirmationWriter, createConfirmationWriter } from "./confirmation-writer.ts";

/**
 * The writer for a command's runs. Like a report, the document is for whoever asks later: what was published stays published
 * when it is not written, and the exit status is the run's (P25).
 */
export function sessionConfirmations(
  store: ObjectStore,
  shell: Shell,
  minIntervalMs: number | undefined,
): ConfirmationWriter {
  // What was published before an interruption is still told, if the store takes it soon.
  const grace = new AbortController();
  const onAbort = (): void => {
    setTimeout(() => grace.abort(), interruptedGraceMs).unref();
  };
  if (shell.signal.aborted) onAbort();
  else shell.signal.addEventListener("abort", onAbort, { once: true });
  return createConfirmationWriter(store, {
    now: shell.now,
    minIntervalMs,
    signal: grace.signal,
    onFailure: ({ message }) =>
      shell.stderr.write(`partner-programs: the age of the data was not stored: ${message}\n`),
  });
}

const interruptedGraceMs = 5000;

/** The tenants that source or store have; `undefined` when the run did not look at all of them. */
export function knownTenants(report: RunReport): ReadonlySet<string> | undefined {
  const { options, failure, outcome, tenants, problems } = report;
  if (options.tenants !== null || options.dryRun) return undefined;
  if (failure !== null || outcome === "interrupted") return undefined;
  if (problems.some(({ code }) => code === "tenants_unreadable")) return undefined;
  const vanished = problems.flatMap(({ code, value }) => (code === "tenant_vanished" ? (value ?? []) : []));
  return new Set([...tenants.map(({ tenantId }) => tenantId), ...vanished]);
}
