import { Failure, type FailureCode } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { createProgressBar } from "../../output/progress-bar.ts";
import { withBuildSession } from "../../publish/run/build-session.ts";
import type { WantedTenants } from "../../publish/run/choose-tenants.ts";
import { type BuildOptions, buildOptions } from "../../publish/tenant/build-context.ts";
import { type Shell, settingsOf } from "../../shell/shell.ts";
import { createAudit, publications } from "../audit/audit.ts";

/** What a person asks of one run of builds. */
interface BuildRequest extends Omit<BuildOptions, "rules" | "recipe"> {
  readonly tenant: readonly TenantId[] | undefined;
  readonly shard: Extract<WantedTenants, { kind: "all" }>["shard"];
  readonly reason: string | undefined;
  readonly metricsFile: string | undefined;
}

interface AuditedBuild {
  readonly report: RunReport;
  /** Why the record of what was overridden could not be completed. */
  readonly unrecorded: Failure | undefined;
}

/** Runs a build. One that overrides a guard is a change by a person, so it is on record (P85). */
export async function auditedBuild(shell: Shell, request: BuildRequest): Promise<AuditedBuild> {
  const { tenant: tenantIds, shard, reason, metricsFile } = request;
  const overrides = guards.filter((guard) => request[`allow${guard}`]).map(option);
  if (reason !== undefined && overrides.length === 0) {
    const what = `--reason is for ${guards.map(option).join(", ")}: other builds leave no record in the audit.`;
    throw new Failure("usage", what);
  }
  const words = ["snapshot build", ...overrides].join(" ");
  const audit =
    overrides.length === 0
      ? undefined
      : createAudit(shell, { command: words, tenants: tenantIds ?? [], reason });
  let unrecorded: Failure | undefined;
  const build = async (): Promise<RunReport> => {
    // P115: a run that fails because of wrong settings writes the metrics file, too.
    const settings = settingsOf(shell);
    const hooks = { watchStore: audit?.watch };
    return await withBuildSession(
      shell,
      settings,
      buildOptions(request, settings),
      hooks,
      async (session) => {
        const report = await session.build({
          wanted: tenantIds === undefined ? { kind: "all", shard } : { kind: "asked", tenantIds },
          progress: createProgressBar(shell.stderr, shell.now),
        });
        audit?.note(publications(report.tenants));
        unrecorded = await audit?.end(failureOf(report));
        return report;
      },
    );
  };
  if (metricsFile === undefined) return { report: await build(), unrecorded };
  const kind = tenantIds !== undefined ? "asked" : shard !== undefined ? "shard" : "round";
  // Most builds write no metrics, and begin sooner without the library.
  const { withMetricsFile } = await import("../../publish/report/metrics-file.ts");
  return { report: await withMetricsFile(metricsFile, shell, kind, build), unrecorded };
}

const guards = ["Shrink", "Emptied", "Shared", "Scaled", "Vanished"] as const;

function option(guard: (typeof guards)[number]): string {
  return `--allow-${guard.toLowerCase()}`;
}

function failureOf({ failure }: RunReport): Failure | undefined {
  return failure === null ? undefined : new Failure(failure.code as FailureCode, failure.message);
}
