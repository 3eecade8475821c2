import { Failure, interrupted } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import { createFollowLive } from "../live-copy/live-copy.ts";
import { sandboxRows } from "../sandbox/sandbox-rows.ts";
import { type BuildFlags, buildOptions } from "../tenant/build-options.ts";
import { buildTenant } from "../tenant/build-tenant.ts";
import { sessionConfirmations } from "./confirmation-writer.ts";

/**
 * Builds and publishes the sandbox as a run would, without a database: its rows come with the generator. The store has shown
 * that it honours conditional writes. Throws what kept it from being published.
 */
export async function buildSandbox(
  store: ObjectStore,
  tenantId: TenantId,
  settings: CliSettings,
  shell: Shell,
): Promise<TenantRun> {
  const { now, randomBytes, signal } = shell;
  const confirmations = sessionConfirmations(store, shell, undefined);
  const run = await buildTenant(tenantId, buildOptions(publishAnyway, settings), {
    withRows: sandboxRows(store, signal),
    store,
    beforeFirstWrite: async () => {},
    now,
    randomBytes,
    onProgress: () => {},
    followLive: createFollowLive(shell, settings),
    signal,
  });
  confirmations.note([run]);
  await confirmations.flush();
  // P52 calls it no failure; but then no tokens must be issued for what is not published.
  if (run.outcome === "skipped") throw interrupted(`Building the sandbox ${tenantId}`);
  if (run.failure !== null && run.outcome !== "held") throw buildFailure(run.failure);
  return run;
}

/** The rows come with the generator, so no guard has anything to look at. */
const publishAnyway: BuildFlags = {
  concurrency: 1,
  onInvalid: "fail",
  allowShrink: true,
  allowEmptied: true,
  allowShared: true,
  allowVanished: true,
  rewrite: false,
  dryRun: false,
};

function buildFailure({ code, message }: NonNullable<TenantRun["failure"]>): Failure {
  const known = (["store_unavailable", "store_denied", "superseded"] as const).find((each) => each === code);
  return new Failure(known ?? "internal", message);
}
