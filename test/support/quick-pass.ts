/**
 * Whether this is the quick pass: `npm test`, at most 90 seconds on two cores. Whatever else runs tests
 * (`npm run test:all`, `npx vitest run` with a file) runs them whole.
 */
export const isQuick = process.env.TEST_QUICK === "1";

/**
 * Whether properties, fuzzes, models and matrices are as small as in the quick pass. `TEST_SIZES=quick npm run test:all` runs every
 * file so, for another PostgreSQL or Node.js: each file finds what they do otherwise, more steps of the same kind don't.
 */
const isSmall = isQuick || process.env.TEST_SIZES === "quick";

/** How much of a property, a fuzz, a model or a matrix is run. */
export function sized<Size>(sizes: { readonly whole: Size; readonly quick: Size }): Size {
  return isSmall ? sizes.quick : sizes.whole;
}

/**
 * Test files that the quick pass leaves out: they wait for many deadlines, start many processes, install what partners use, or
 * repeat a build for every fault there is.
 */
export const leftOut: readonly string[] = [
  "test/integration/booking/init.test.ts",
  "test/integration/booking/seed.test.ts",
  "test/integration/build/concurrent-builds.test.ts",
  "test/integration/build/confirmation-writer.test.ts",
  "test/integration/build/confirmations.test.ts",
  "test/integration/build/ended-sessions.test.ts",
  "test/integration/build/holds-and-damage.test.ts",
  "test/integration/build/hostile-rows.test.ts",
  "test/integration/build/incremental.test.ts",
  "test/integration/build/metrics-file.test.ts",
  "test/integration/build/options.test.ts",
  "test/integration/build/process.test.ts",
  "test/integration/build/reading.test.ts",
  "test/integration/build/same-bytes.test.ts",
  "test/integration/build/sandbox.test.ts",
  "test/integration/build/size-limits.test.ts",
  "test/integration/build/source-digest.test.ts",
  "test/integration/build/source-types.test.ts",
  "test/integration/build/source-values.test.ts",
  "test/integration/build/unwritten-memory.test.ts",
  "test/integration/build/waiting-builds.test.ts",
  "test/integration/build/watch.test.ts",
  "test/integration/build/withdrawals.test.ts",
  "test/integration/cli/completion.test.ts",
  "test/integration/cli/demo.test.ts",
  "test/integration/cli/table-widths.test.ts",
  "test/integration/commit/cost.test.ts",
  "test/integration/commit/frozen-builds.test.ts",
  "test/integration/commit/killed-builds.test.ts",
  "test/integration/deploy/alerts.test.ts",
  "test/integration/deploy/fronts.test.ts",
  "test/integration/deploy/prometheus-rules.test.ts",
  "test/integration/deploy/rolling-restart.test.ts",
  "test/integration/docs/certified-clients.test.ts",
  "test/integration/docs/cookbook.test.ts",
  "test/integration/docs/first-sync.test.ts",
  "test/integration/docs/kubernetes.test.ts",
  "test/integration/docs/package.test.ts",
  "test/integration/docs/partner-client-faults.test.ts",
  "test/integration/docs/partner-client-trouble.test.ts",
  "test/integration/docs/partner-client-updates.test.ts",
  "test/integration/docs/partner-client.test.ts",
  "test/integration/docs/sandbox-tour.test.ts",
  "test/integration/docs/workflows.test.ts",
  "test/integration/gateway/compile-cache.test.ts",
  "test/integration/gateway/connections.test.ts",
  "test/integration/gateway/fleet.test.ts",
  "test/integration/gateway/freshness.test.ts",
  "test/integration/gateway/hostile-clients.test.ts",
  "test/integration/gateway/large-gzip.test.ts",
  "test/integration/gateway/last-good-faults.test.ts",
  "test/integration/gateway/last-good-heals.test.ts",
  "test/integration/gateway/last-good-kills.test.ts",
  "test/integration/gateway/last-good.test.ts",
  "test/integration/gateway/manifest-faults.test.ts",
  "test/integration/gateway/pointer-faults.test.ts",
  "test/integration/gateway/process.test.ts",
  "test/integration/gateway/shutdown.test.ts",
  "test/integration/gateway/stalled-readers.test.ts",
  "test/integration/gateway/start.test.ts",
  "test/integration/gateway/streaming.test.ts",
  "test/integration/output/commands.test.ts",
  "test/integration/output/tokens.test.ts",
  "test/integration/partner-docs/site-script.test.ts",
  "test/integration/partner-docs/site.test.ts",
  "test/integration/schemas/tool-clients.test.ts",
  "test/integration/schemas/tool-languages.test.ts",
  "test/integration/schemas/tool-partner-folder.test.ts",
  "test/integration/schemas/tool-prism.test.ts",
  "test/integration/schemas/tool-reverts.test.ts",
  "test/integration/snapshot/live-tree.test.ts",
  "test/integration/source/commands.test.ts",
  "test/integration/source/hidden-rows.test.ts",
  "test/integration/source/mended-views.test.ts",
  "test/integration/source/missing-rows.test.ts",
  "test/integration/source/one-truth.test.ts",
  "test/integration/source/preview.test.ts",
  "test/integration/source/skeleton.test.ts",
  "test/integration/source/unreadable-rows.test.ts",
  "test/integration/store/hostile-answers.test.ts",
  "test/integration/store/iam-policies.test.ts",
  "test/integration/store/store-check.test.ts",
  "test/integration/support/inspect-access.test.ts",
  "test/integration/support/inspect-axe.test.ts",
  "test/integration/support/inspect-browser.test.ts",
  "test/integration/support/inspect-desk-browser.test.ts",
  "test/integration/support/inspect-health.test.ts",
  "test/integration/support/inspect-history.test.ts",
  "test/integration/support/inspect-passwords.test.ts",
  "test/integration/support/inspect-proxy.test.ts",
  "test/integration/support/inspect-sessions.test.ts",
  "test/integration/support/show-and-diff.test.ts",
  "test/integration/support/standing.test.ts",
  "test/integration/support/support-page.test.ts",
  "test/integration/tenants/under-load.test.ts",
  "test/integration/watch/told-tenants.test.ts",
];
