import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { asFailure, Failure } from "../../../core/failure.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { placeFailure } from "../../shell/place-failure.ts";
import type { Shell } from "../../shell/shell.ts";
import { type EndedRun, metricsText } from "./metrics-text.ts";

/** Runs a build and tells of it. The build calls `onStoreBegun` when it begins a new store. */
export type WatchedBuild = (
  build: (onStoreBegun: (at: Date) => void) => Promise<RunReport>,
) => Promise<RunReport>;

/**
 * Leaves the numbers of a build in a file, for node_exporter's textfile collector, since nobody can scrape a build that ends.
 * Throws `usage` before the run, which may take minutes, when the file cannot be written (P113).
 */
export async function withMetricsFile(
  path: string,
  shell: Shell,
  kind: EndedRun["kind"],
): Promise<WatchedBuild> {
  await assertReplaceable(path);
  return async (build) => {
    const startedAtMs = shell.now().getTime();
    let storeBegunAtMs: number | undefined;
    try {
      const report = await build((at) => {
        storeBegunAtMs = at.getTime();
      });
      await add(path, shell, { ...endedRun(report, kind), storeBegunAtMs });
      return report;
    } catch (error) {
      // P114: a run without a report counts, too: for wrong settings, or without store or database.
      const endedAtMs = shell.now().getTime();
      await add(path, shell, {
        kind,
        outcome: shell.signal.aborted ? "interrupted" : "failed",
        durationMs: Math.max(0, endedAtMs - startedAtMs),
        endedAtMs,
        confirmedAtMs: new Map(),
        listed: undefined,
        storeBegunAtMs,
      });
      throw error;
    }
  };
}

function endedRun(report: RunReport, kind: EndedRun["kind"]): Omit<EndedRun, "storeBegunAtMs"> {
  const { outcome, durationMs, finishedAt, failure, tenants } = report;
  const isWhole = kind === "round" && failure === null && outcome !== "interrupted";
  return {
    kind,
    outcome,
    durationMs,
    endedAtMs: Date.parse(finishedAt),
    confirmedAtMs: new Map(
      tenants.flatMap(({ tenantId, confirmedAt = null }) =>
        confirmedAt === null ? [] : [[tenantId, Date.parse(confirmedAt)] as const],
      ),
    ),
    listed: isWhole ? new Set(tenants.map(({ tenantId }) => tenantId)) : undefined,
  };
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

/** Writes the numbers. A failure is a line on standard error and changes no exit status, because the run has published already. */
async function add(path: string, shell: Shell, run: EndedRun): Promise<void> {
  try {
    const previous = await readFile(path, "utf8").catch(() => "");
    await replace(path, metricsText(previous, run));
  } catch (error) {
    const { message } = asFailure(
      placeFailure(error, `The file ${path}`, "The run itself ended as it says."),
    );
    shell.stderr.write(`partner-programs: --metrics-file: ${message}\n`);
  }
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
