import { expect, test } from "vitest";
import type { RunRequest } from "../../../cli/publish/run/build-session.ts";
import { createTenantQueue } from "../../../cli/publish/watch/tenant-queue.ts";
import { createWatchBuilds, type RunKind } from "../../../cli/publish/watch/watch-builds.ts";
import { parseTenantId } from "../../../core/ids.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { runReport } from "../schemas/stored-samples.ts";

const acme = parseTenantId("acme");
const progress = { total() {}, tenantDone() {}, programs() {}, clear() {} };

test("P34: what a notification names is passed to the told build, never to a round's", async () => {
  const requests: RunRequest[] = [];
  const runs: RunKind[] = [];
  const stop = new AbortController();
  let onRun = (): void => {};
  const queue = createTenantQueue({ concurrency: 2, intervalMs: 1_000_000 });
  const builds = createWatchBuilds({
    queue,
    session: {
      async build(request) {
        requests.push(request);
        await request.schedule?.([acme], async () => "published");
        return runReport as unknown as RunReport;
      },
    },
    clock: () => 0,
    progressOf: () => progress,
    onTenantDone: () => {},
    async afterRun(_report, kind) {
      runs.push(kind);
      onRun();
    },
    signal: stop.signal,
  });
  const run = async (): Promise<void> => {
    const ended = new Promise<void>((resolve) => {
      onRun = resolve;
    });
    builds.look();
    await ended;
  };
  await run();
  queue.tell(acme, "p");
  queue.tell(acme, "q");
  await run();
  stop.abort();
  await builds.ended();
  expect(runs).toEqual(["round", "told"]);
  expect(requests.map(({ wanted }) => wanted)).toEqual([
    { kind: "all" },
    { kind: "told", tenantId: acme, hintedPrograms: new Set(["p", "q"]) },
  ]);
});

test("a run that waits for another builder ends with the signal", async () => {
  const stop = new AbortController();
  const outcomes: string[] = [];
  const builds = createWatchBuilds({
    queue: createTenantQueue({ concurrency: 1, intervalMs: 1_000_000 }),
    session: {
      async build({ schedule }) {
        await schedule?.([acme], async () => {
          outcomes.push(stop.signal.aborted ? "skipped" : "taken");
          if (stop.signal.aborted) return "skipped";
          setImmediate(() => stop.abort());
          return "taken";
        });
        return runReport as unknown as RunReport;
      },
    },
    clock: () => 0,
    progressOf: () => progress,
    onTenantDone: () => {},
    afterRun: async () => {},
    signal: stop.signal,
  });
  builds.look();
  await builds.ended();
  expect(outcomes).toEqual(["taken", "skipped"]);
});
