import { randomBytes } from "node:crypto";
import { chmod, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { readConfirmations } from "../../../core/confirmations.ts";
import { asFailure, Failure } from "../../../core/failure.ts";
import { confirmedKey } from "../../../core/object-key.ts";
import { noStore, readStoreIdentity } from "../../../core/store-identity.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { placeFailure } from "../../shell/place-failure.ts";
import { type Shell, settingsOf } from "../../shell/shell.ts";
import { withStore } from "../../shell/with-store.ts";
import { builderMetrics, buildInfoLabels, leastConfirmed, runOutcomes } from "./builder-metrics.ts";

/** `round`: a run of all tenants; `shard`: of a part of them; `asked`: of those that `--tenant` names. */
export type MeasuredKind = "round" | "shard" | "asked";

/** Leaves what a build was in a file for node_exporter. P115: throws `usage` before the run if it can't be written. */
export async function withMetricsFile(
  path: string,
  shell: Shell,
  kind: MeasuredKind,
  build: () => Promise<RunReport>,
): Promise<RunReport> {
  await assertReplaceable(path);
  const startedAt = shell.now();
  /** A failure is a line on standard error and changes no exit status, because the run has published already. */
  const write = async (outcome: RunReport["outcome"], durationMs: number, endedAt: Date): Promise<void> => {
    try {
      const store = await storeLines(shell).catch(() => undefined);
      const previous = await readFile(path, "utf8").catch(() => "");
      await replace(path, metricsText(previous, kind, runLines(kind, outcome, durationMs, endedAt), store));
    } catch (error) {
      const failure = placeFailure(error, `The file ${path}`, "The run itself ended as it says.");
      shell.stderr.write(`partner-programs: --metrics-file: ${asFailure(failure).message}\n`);
    }
  };
  try {
    const report = await build();
    await write(report.outcome, report.durationMs, new Date(report.finishedAt));
    return report;
  } catch (error) {
    // P115: a run without a report counts, too: for wrong settings, or without store or database.
    const endedAt = shell.now();
    const durationMs = Math.max(0, endedAt.getTime() - startedAt.getTime());
    await write(shell.signal.aborted ? "interrupted" : "failed", durationMs, endedAt);
    throw error;
  }
}

/** Fails unless the file can be replaced by one that is made beside it. */
async function assertReplaceable(path: string): Promise<void> {
  try {
    const file = await stat(path).catch(() => undefined);
    if (file?.isDirectory()) throw new Failure("usage", `--metrics-file: ${path} is a folder; name a file.`);
    // Replacing a device or a pipe would destroy it.
    if (file?.isFile() === false) throw new Failure("usage", `--metrics-file: ${path} is no regular file.`);
    const draft = draftOf(path);
    await writeFile(draft, "", { flag: "wx" });
    await rm(draft);
  } catch (error) {
    throw placeFailure(error, `--metrics-file: the file ${path}`, "Nothing was built.");
  }
}

/** Draft and place are in the same folder, for the rename. A draft does not end in `.prom`, so no collector takes it. */
function draftOf(path: string): string {
  return `${path}.${randomBytes(4).toString("hex")}.tmp`;
}

function gauge({ name }: { readonly name: string }, labels: Record<string, string>, value: number): string {
  const texts = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return `${name}${texts.length === 0 ? "" : `{${texts.join()}}`} ${value}`;
}

const { buildInfo, lastRun, lastDuration, lastStatus, confirmed, storeBegun } = builderMetrics;

function runLines(
  kind: MeasuredKind,
  outcome: RunReport["outcome"],
  durationMs: number,
  endedAt: Date,
): readonly string[] {
  return [
    gauge(buildInfo, buildInfoLabels(), 1),
    gauge(lastRun, { kind }, endedAt.getTime() / 1000),
    gauge(lastDuration, { kind }, durationMs / 1000),
    ...runOutcomes.map((each) => gauge(lastStatus, { kind, outcome: each }, each === outcome ? 1 : 0)),
  ];
}

/** Rejects without a store, or with wrong settings. */
async function storeLines(shell: Shell): Promise<readonly string[]> {
  return await withStore(settingsOf(shell), async (store) => {
    const identity = await readStoreIdentity(store);
    if (identity === undefined) throw noStore(store.address);
    const found = await store.get(confirmedKey);
    const times = new Map<string, number>();
    const known = found.kind === "object" ? await readConfirmations(found.body) : [];
    for (const [tenantId, { confirmedAt }] of known) {
      if (confirmedAt !== null) times.set(tenantId, Date.parse(confirmedAt));
    }
    return [
      ...leastConfirmed(times).map(([tenant, atMs]) => gauge(confirmed, { tenant }, atMs / 1000)),
      gauge(storeBegun, {}, Date.parse(identity.createdAt) / 1000),
    ];
  });
}

/**
 * P115: the file has gauges alone, so builds that end at once lose nothing of each other. What this run says nothing of stays: the
 * lines of runs of another kind, and those about a store that does not answer.
 */
function metricsText(
  previous: string,
  kind: MeasuredKind,
  run: readonly string[],
  store: readonly string[] | undefined,
): string {
  const kept = previous.split("\n").filter((line) => {
    if (!keptLine.test(line)) return false;
    return line.startsWith("builder_last_run_") ? !line.includes(`{kind="${kind}"`) : store === undefined;
  });
  const lines = [...run, ...(store ?? []), ...kept];
  const families = [buildInfo, lastRun, lastDuration, lastStatus, confirmed, storeBegun];
  return families
    .flatMap(({ name, help }) => [
      ...[`# HELP ${name} ${help}`, `# TYPE ${name} gauge`],
      ...lines.filter((line) => line.split(/[{ ]/, 1)[0] === name),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

const keptLine =
  /^builder_(last_run|tenant_confirmed|store_begun)_[a-z_]+(\{[a-z]+="[^"{}]+"[^{}]*\})? [0-9.e+-]+$/;

/** P115: replaces the file in one step, so that a reader gets the whole old or the whole new one. */
async function replace(path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  try {
    await writeFile(draft, text, { flag: "wx" });
    // node_exporter runs as another user, whatever the umask of the job.
    await chmod(draft, 0o644);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
