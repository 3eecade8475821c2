import type { ProgramDetail, RunReport, TenantRun } from "../../schemas/generated/types.ts";
import { changedKeys } from "./store-tree.ts";
import { type BuildResult, tenantRun, type Workbench } from "./workbench.ts";

export interface BuildEffect {
  readonly status: number;
  readonly report: RunReport;
  /** Of the tenant `acme`. */
  readonly run: TenantRun;
  /** The keys that were written or removed, the folder of acme's new snapshot called `<new>`. */
  readonly written: readonly string[];
}

/** Builds, and tells what that did to the store. */
export async function buildEffect(
  bench: Workbench,
  env: Readonly<Record<string, string>> = {},
): Promise<BuildEffect> {
  const before = await bench.tree();
  const { status, report } = await bench.build([], { env });
  const run = tenantRun(report, "acme");
  const keys = changedKeys(before, await bench.tree());
  return {
    status,
    report,
    run,
    written: keys.map((key) => key.replace(run.snapshotId ?? "no snapshot", "<new>")),
  };
}

/** Builds, and throws if a pointer changed. Files of a snapshot that did not become live may lie there. */
export async function buildWithoutEffect(bench: Workbench, ...args: readonly string[]): Promise<BuildResult> {
  const before = await bench.tree();
  const result = await bench.build(args);
  const changed = changedKeys(before, await bench.tree()).filter((key) => !key.includes("/snapshots/"));
  if (changed.length > 0) throw new Error(`changed: ${changed.join(", ")}`);
  return result;
}

/** Builds, and gives the detail of one of acme's programs and its warnings as `code field = value`. */
export async function builtProgram(
  bench: Workbench,
  programId: string,
): Promise<{ readonly detail: ProgramDetail; readonly warnings: readonly string[] }> {
  const { status, report, stderr } = await bench.build();
  if (status !== 0) throw new Error(`status ${status}: ${stderr} ${JSON.stringify(report.tenants)}`);
  const detail = (await bench.published("acme")).details.get(programId);
  if (detail === undefined) throw new Error(`${programId} was not published`);
  const problems = tenantRun(report, "acme").problems.filter((problem) => problem.programId === programId);
  return { detail, warnings: problems.map(({ code, field, value }) => `${code} ${field} = ${value}`) };
}
