import { setImmediate } from "node:timers/promises";
import { buildTenant } from "../../cli/publish/tenant/build-tenant.ts";
import { verifyTenant } from "../../cli/read/snapshots/verify-tenant.ts";
import type { TenantRun } from "../../schemas/generated/types.ts";
import { cannedOptions, cannedRows } from "./canned-source.ts";
import { type CommitWorld, deterministic, modelTenant, programsOf, type Scenario } from "./commit-world.ts";
import { SimulatedStore } from "./simulated-store.ts";

/** A store in which versions 1 to `version` were published one after the other; empty for 0. */
export async function published(version: number): Promise<Scenario["start"]> {
  const store = new SimulatedStore();
  for (let at = 1; at <= version; at += 1) await build(store, at, `start ${at}`);
  return { objects: store.objects, version };
}

/**
 * What must be true when all is over, whatever happened: the next build succeeds and shows the newest data
 * (unless the tenant is held), and everything that partners get verifies.
 */
export async function assertRecovers(world: CommitWorld): Promise<void> {
  const store = new SimulatedStore(world.store.objects);
  const run = await build(store, world.version, "recovery");
  const isHeld = world.oracle.live()?.isHeld === true;
  const fits = isHeld ? run.outcome === "held" : run.outcome === "published" || run.outcome === "unchanged";
  if (!fits) throw new Error(`the next build ended with ${run.outcome}: ${run.failure?.message}`);
  const signal = new AbortController().signal;
  const verified = await alone(
    store,
    verifyTenant(modelTenant, {
      store: store.client("verify"),
      sandbox: undefined,
      confirmations: new Map(),
      signal,
    }),
  );
  if (verified.outcome !== "clean")
    throw new Error(`after it, verify finds ${JSON.stringify(verified.findings)}`);
}

async function build(store: SimulatedStore, version: number, name: string): Promise<TenantRun> {
  const context = {
    ...deterministic(name, new Date(Date.UTC(2029, 0, version))),
    withRows: cannedRows(() => programsOf(version)),
    store: store.client(name),
    onProgress: () => {},
    signal: new AbortController().signal,
  };
  return await alone(store, buildTenant(modelTenant, cannedOptions, context));
}

/** Performs every call at once until the work is done. */
async function alone<Result>(store: SimulatedStore, work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => {});
  while (!isDone) {
    for (const call of [...store.pending]) call.perform(undefined);
    await setImmediate();
  }
  return await done;
}
