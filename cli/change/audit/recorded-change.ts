import { asFailure, type Failure } from "../../../core/ground/failure.ts";
import { printable, printableLines } from "../../../core/ground/printable.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { changeWords } from "../../read/administration/change-words.ts";
import { type ExitStatus, exitStatuses } from "../../shell/exit-status.ts";
import { identifiedStore } from "../../shell/identified-store.ts";
import { type Shell, settingsOf, withStore } from "../../shell/shell.ts";
import { type Audit, type AuditRequest, createAudit } from "./audit.ts";

/** What a command did. */
export interface Done {
  /** Prints it. Asks neither store nor database, so nothing can keep it from being said (P205). */
  readonly say: () => void;
  /** 0 unless given. */
  readonly status?: ExitStatus;
  /** Work after the change. It may add a sentence; its failure is only a warning (P205). */
  readonly follow?: () => Promise<void>;
}

/**
 * A command that changes something for partners: opens a store that honours conditional writes, records the
 * change, and says what was done as soon as `run` has returned, which is right after the decisive write
 * (P205). It is said even when its record could not be completed: a token is in force, and only we have it
 * (P85). `isProbed`: after a probe of the conditional writes (P11).
 */
export async function recordedChange(
  shell: Shell,
  request: AuditRequest,
  run: (store: ObjectStore, audit: Audit) => Promise<Done>,
  isProbed = true,
): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  return await withStore(settings, async (opened) => {
    const store = identifiedStore(opened, settings, shell);
    if (isProbed) await store.requireConditions();
    const { result: done, unrecorded } = await withAudit(shell, store, request, run, ({ say }) => say());
    await done.follow?.().catch((error: unknown) => {
      shell.stderr.write(
        `partner-programs: warning: ${printableLines(asFailure(error).message)} What was done stays done.\n`,
      );
    });
    return auditedStatus(shell, unrecorded, done.status ?? 0);
  });
}

/**
 * Runs with a store on which nothing changes for partners without a record, says the result, and completes
 * the record. When `run` throws after it has changed something, that is said (P205). `unrecorded`: why the
 * record could not be completed.
 */
export async function withAudit<Result>(
  shell: Shell,
  store: ObjectStore,
  request: AuditRequest,
  run: (store: ObjectStore, audit: Audit) => Promise<Result>,
  say: (result: Result) => void = () => {},
): Promise<{ readonly result: Result; readonly unrecorded: Failure | undefined }> {
  const audit = createAudit(shell, request);
  let result: Result;
  try {
    result = await run(audit.watch(store), audit);
  } catch (error) {
    const words = changeWords(audit.noted());
    if (words !== "") shell.stderr.write(`partner-programs: done before the end: ${printable(words)}.\n`);
    const unrecorded = await audit.end(asFailure(error));
    if (unrecorded !== undefined) sayUnrecorded(shell, unrecorded);
    throw error;
  }
  say(result);
  return { result, unrecorded: await audit.end(undefined) };
}

/** The exit status. Called after the command has said what it did; reports an incomplete record. */
export function auditedStatus(shell: Shell, unrecorded: Failure | undefined, status: ExitStatus): ExitStatus {
  if (unrecorded === undefined) return status;
  sayUnrecorded(shell, unrecorded);
  return status === 0 ? exitStatuses[unrecorded.code] : status;
}

function sayUnrecorded(shell: Shell, { message }: Failure): void {
  shell.stderr.write(`partner-programs: ${message}\n`);
}
