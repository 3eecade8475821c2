/**
 * Whether this is the quick pass: `npm test`, at most 90 seconds on two cores. Whatever else runs tests
 * (`npm run test:all`, `npx vitest run` with a file) runs them whole.
 */
export const isQuick = process.env.TEST_QUICK === "1";

/** How much of a property, a fuzz, a model or a matrix is run. */
export function sized<Size>(sizes: { readonly whole: Size; readonly quick: Size }): Size {
  return isQuick ? sizes.quick : sizes.whole;
}

/**
 * Test files that the quick pass leaves out: they wait for many deadlines, start many processes, install what partners use, or
 * repeat a build for every fault there is.
 */
export const leftOut: readonly string[] = [
  "test/integration/booking/init.test.ts",
  "test/integration/build/concurrent-builds.test.ts",
  "test/integration/build/ended-sessions.test.ts",
  "test/integration/build/full-disk.test.ts",
  "test/integration/build/options.test.ts",
  "test/integration/build/process.test.ts",
  "test/integration/build/reading.test.ts",
  "test/integration/build/size-limits.test.ts",
  "test/integration/build/source-digest.test.ts",
  "test/integration/build/source-types.test.ts",
  "test/integration/build/source-values.test.ts",
  "test/integration/build/waiting-builds.test.ts",
  "test/integration/commit/cost.test.ts",
  "test/integration/commit/frozen-builds.test.ts",
  "test/integration/docs/partner-client.test.ts",
  "test/integration/gateway/connections.test.ts",
  "test/integration/gateway/fleet.test.ts",
  "test/integration/gateway/freshness.test.ts",
  "test/integration/gateway/hostile-clients.test.ts",
  "test/integration/gateway/large-gzip.test.ts",
  "test/integration/gateway/manifest-faults.test.ts",
  "test/integration/gateway/pointer-faults.test.ts",
  "test/integration/gateway/process.test.ts",
  "test/integration/gateway/stalled-readers.test.ts",
  "test/integration/gateway/start.test.ts",
  "test/integration/gateway/streaming.test.ts",
  "test/integration/schemas/tool-clients.test.ts",
  "test/integration/schemas/tool-prism.test.ts",
  "test/integration/schemas/tool-reverts.test.ts",
  "test/integration/snapshot/live-tree.test.ts",
  "test/integration/source/commands.test.ts",
  "test/integration/store/hostile-answers.test.ts",
  "test/integration/source/causes.test.ts",
  "test/integration/support/inspect-browser.test.ts",
  "test/integration/support/show-and-diff.test.ts",
  "test/integration/support/support-page.test.ts",
  "test/integration/watch/told-tenants.test.ts",
];
