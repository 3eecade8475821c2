import { randomBytes } from "node:crypto";
import { chmod, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { Registry } from "prom-client";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { placeFailure } from "../../shell/place-failure.ts";
import { type Shell, settingsOf, withStore } from "../../shell/shell.ts";
import { createBuilderGauges } from "./builder-gauges.ts";

/** `round`: a run of all tenants; `shard`: of a part of them; `asked`: of those that `--tenant` names. */
export type MeasuredKind = "round" | "shard" | "asked";

/** Leaves a build's metrics in a file for node_exporter. P115: throws `usage` first if it is unwritable. */
export async function withMetricsFile(
  path: string,
  shell: Shell,
  kind: MeasuredKind,
  build: () => Promise<RunReport>,
): Promise<RunReport> {
  await assertReplaceable(path);
  const startedAt = shell.now();
  /** A failure is a line on standard error and changes no exit status: the run has published already. */
  const write = async (
    outcome: RunReport["outcome"],
    durationMs: number,
    endedAt: Date,
    report?: RunReport,
  ): Promise<void> => {
    try {
      const registry = new Registry();
      const gauges = createBuilderGauges(registry);
      // P115: what this run says nothing of stays: runs of other kinds, and a store that does not answer.
      gauges.restore(await readFile(path, "utf8").catch(() => ""), kind);
      gauges.runEnded(kind, outcome, durationMs, endedAt);
      if (report !== undefined) gauges.tenantsBuilt(report);
      const store = async () => await withStore(settingsOf(shell), (store) => gauges.readStore(store));
      await store().catch(() => {});
      await replace(path, await registry.metrics());
    } catch (error) {
      const failure = placeFailure(error, `The file ${path}`, "The run itself ended as it says.");
      shell.stderr.write(`partner-programs: --metrics-file: ${asFailure(failure).message}\n`);
    }
  };
  try {
    const report = await build();
    await write(report.outcome, report.durationMs, new Date(report.finishedAt), report);
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

/** The draft is in the same folder, for the rename. It does not end in `.prom`, so no collector takes it. */
function draftOf(path: string): string {
  return `${path}.${randomBytes(4).toString("hex")}.tmp`;
}

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
