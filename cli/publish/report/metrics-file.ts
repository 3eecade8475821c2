import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { readConfirmations } from "../../../core/confirmations.ts";
import { asFailure, Failure } from "../../../core/failure.ts";
import { confirmedKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { noStore, readStoreIdentity } from "../../../core/store-identity.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { placeFailure } from "../../shell/place-failure.ts";
import { type Shell, settingsOf } from "../../shell/shell.ts";
import { withStore } from "../../shell/with-store.ts";
import { builderMetrics, buildInfoLabels, leastConfirmed, runOutcomes } from "./builder-metrics.ts";

/** `round`: a run of all tenants; `shard`: of a part of them; `asked`: of those that `--tenant` names. */
export type MeasuredKind = "round" | "shard" | "asked";

/**
 * Leaves what a build was in a file, for node_exporter's textfile collector, since nobody can scrape a build that ends. Throws
 * `usage` before the run, which may take minutes, when the file cannot be written (P113).
 */
export async function withMetricsFile(
  path: string,
  shell: Shell,
  kind: MeasuredKind,
  build: () => Promise<RunReport>,
): Promise<RunReport> {
  await assertReplaceable(path);
  const startedAtMs = shell.now().getTime();
  try {
    const report = await build();
    const { outcome, durationMs, finishedAt } = report;
    await write(path, shell, { kind, outcome, durationMs, endedAtMs: Date.parse(finishedAt) });
    return report;
  } catch (error) {
    // P114: a run without a report counts, too: for wrong settings, or without store or database.
    const endedAtMs = shell.now().getTime();
    const outcome = shell.signal.aborted ? "interrupted" : "failed";
    await write(path, shell, { kind, outcome, durationMs: Math.max(0, endedAtMs - startedAtMs), endedAtMs });
    throw error;
  }
}

interface EndedRun {
  readonly kind: MeasuredKind;
  readonly outcome: RunReport["outcome"];
  readonly durationMs: number;
  readonly endedAtMs: number;
}

/** Fails unless the file can be replaced by one that is made beside it. */
async function assertReplaceable(path: string): Promise<void> {
  try {
    const file = await stat(path).catch(() => undefined);
    if (file?.isDirectory()) throw new Failure("usage", `--metrics-file: ${path} is a folder; name a file.`);
    // Replacing a device or a pipe would destroy it.
    if (file?.isFile() === false) throw new Failure("usage", `--metrics-file: ${path} is no regular file.`);
    const draft = draftOf(path);
    await (await open(draft, "wx")).close();
    await rm(draft);
  } catch (error) {
    throw placeFailure(error, `--metrics-file: the file ${path}`, "Nothing was built.");
  }
}

/** Writes the file. A failure is a line on standard error and changes no exit status, because the run has published already. */
async function write(path: string, shell: Shell, run: EndedRun): Promise<void> {
  try {
    const store = await storeLines(shell).catch(() => undefined);
    const previous = await readFile(path, "utf8").catch(() => "");
    await replace(path, metricsText(previous, run, store));
  } catch (error) {
    const { message } = asFailure(
      placeFailure(error, `The file ${path}`, "The run itself ended as it says."),
    );
    shell.stderr.write(`partner-programs: --metrics-file: ${message}\n`);
  }
}

/** The lines about the store; rejects without a store. */
async function storeLines(shell: Shell): Promise<readonly string[]> {
  return await withStore(settingsOf(shell), async (store) => {
    const identity = await readStoreIdentity(store);
    if (identity === undefined) throw noStore(store.address);
    const confirmedAtMs = await confirmedTimes(store);
    return [
      ...leastConfirmed(confirmedAtMs).map(
        ([tenant, atMs]) => `${builderMetrics.confirmed.name}{tenant="${tenant}"} ${atMs / 1000}`,
      ),
      `${builderMetrics.storeBegun.name} ${Date.parse(identity.createdAt) / 1000}`,
    ];
  });
}

async function confirmedTimes(store: ObjectStore): Promise<ReadonlyMap<string, number>> {
  const found = await store.get(confirmedKey);
  const times = new Map<string, number>();
  if (found.kind !== "object") return times;
  for (const [tenantId, { confirmedAt }] of await readConfirmations(found.body)) {
    if (confirmedAt !== null) times.set(tenantId, Date.parse(confirmedAt));
  }
  return times;
}

/**
 * The file's text after the run. P115: it has gauges alone, so that builds that end at once lose nothing of each other. What this run
 * says nothing of stays as it was: the lines of runs of another kind, and those about a store that does not answer.
 */
function metricsText(
  previous: string,
  { kind, outcome, durationMs, endedAtMs }: EndedRun,
  store: readonly string[] | undefined,
): string {
  const labels = Object.entries(buildInfoLabels()).map(([name, value]) => `${name}="${value}"`);
  const { buildInfo, lastRun, lastDuration, lastStatus, confirmed, storeBegun } = builderMetrics;
  const ownKind = `{kind="${kind}"`;
  const kept = previous.split("\n").filter((line) => {
    if (
      !/^builder_(last_run|tenant_confirmed|store_begun)_[a-z_]+(\{[a-z]+="[^"{}]+"[^{}]*\})? [0-9.e+-]+$/.test(
        line,
      )
    )
      return false;
    return line.startsWith("builder_last_run_") ? !line.includes(ownKind) : store === undefined;
  });
  const lines = [
    `${buildInfo.name}{${labels.join()}} 1`,
    `${lastRun.name}${ownKind}} ${endedAtMs / 1000}`,
    `${lastDuration.name}${ownKind}} ${durationMs / 1000}`,
    ...runOutcomes.map(
      (each) => `${lastStatus.name}${ownKind},outcome="${each}"} ${each === outcome ? 1 : 0}`,
    ),
    ...(store ?? []),
    ...kept,
  ];
  const families = [buildInfo, lastRun, lastDuration, lastStatus, confirmed, storeBegun].map(
    ({ name, help }) =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} gauge`,
        ...lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `)),
        "",
      ].join("\n"),
  );
  return families.join("");
}

/** P114: replaces the file in one step, so that a reader gets the whole old or the whole new one. */
async function replace(path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  try {
    const file = await open(draft, "wx");
    try {
      await file.writeFile(text);
      // node_exporter runs as another user, whatever the umask of the job.
      await file.chmod(0o644);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A name in the same folder, for the rename. It does not end in `.prom`, so no collector takes the file. */
function draftOf(path: string): string {
  return `${path}.${randomBytes(4).toString("hex")}.tmp`;
}
