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
 * For builds that nobody can scrape: each leaves its numbers in a file, from where node_exporter's textfile collector takes
 * them. Throws `usage` when the file could not be written (P113): a run may take minutes, and what watches it must not be
 * found missing afterwards.
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
      // P114: also of a run that never came as far as a report: wrong settings, no store, no database.
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

/** As it will be replaced: a file of this name, by one that is made beside it. */
async function assertReplaceable(path: string): Promise<void> {
  try {
    const file = await stat(path).catch(() => undefined);
    if (file?.isDirectory()) throw new Failure("usage", `--metrics-file: ${path} is a folder; name a file.`);
    // A device or a pipe would be gone.
    if (file?.isFile() === false) throw new Failure("usage", `--metrics-file: ${path} is no regular file.`);
    const draft = draftOf(path);
    await (await open(draft, "wx")).close();
    await rm(draft);
  } catch (error) {
    throw placeFailure(error, `--metrics-file: the file ${path}`, "Nothing was built.");
  }
}

/** What was published stays published when this fails, and the exit status is the run's. */
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

/** P114: in one step, so that whoever reads it meanwhile has the whole old or the whole new one. */
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

/** In the same folder, for the rename. Its name does not end in `.prom`, so no collector takes it. */
function draftOf(path: string): string {
  return `${path}.${randomBytes(4).toString("hex")}.tmp`;
}
