import { Failure, type FailureCode, interrupted } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { createFollowLive } from "../../publish/snapshot/live-tree.ts";
import { buildOptions } from "../../publish/tenant/build-context.ts";
import { buildTenant } from "../../publish/tenant/build-tenant.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import { withSandboxRows } from "./sandbox-programs.ts";

/**
 * Publishes the sandbox by a tenant's build, without a database: its rows come with the generator. It has no
 * age, so nothing is confirmed. The store has shown that it honours conditional writes. Throws what kept the
 * sandbox from being published.
 */
export async function publishSandbox(
  store: ObjectStore,
  tenantId: TenantId,
  settings: CliSettings,
  shell: Shell,
): Promise<TenantRun> {
  // The rows come with the generator, so no guard has anything to look at.
  const options = buildOptions(
    { onInvalid: "fail", allowShrink: true, allowEmptied: true, allowScaled: true },
    settings,
  );
  const run = await buildTenant(tenantId, options, {
    ...{ ...shell, store, withRows: withSandboxRows },
    onProgress: () => {},
    followLive: createFollowLive(shell, settings),
  });
  // An interruption is no failure; but then no tokens must be issued for what is not published.
  if (run.outcome === "skipped") throw interrupted(`Building the sandbox ${tenantId}`);
  if (run.failure !== null && run.outcome !== "held") {
    throw new Failure(run.failure.code as FailureCode, run.failure.message);
  }
  return run;
}
