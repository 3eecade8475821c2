/**
 * Whether this is the quick pass: `npm test`, about half a minute on two cores. Whatever else runs tests
 * (`npm run test:all`, `npx vitest run` with a file) runs them whole.
 */
export const isQuick = process.env.TEST_QUICK === "1";

/**
 * Whether properties, fuzzes, models and matrices are as small as in the quick pass. `TEST_SIZES=quick npm
 * run test:all` runs every file so, for another PostgreSQL or Node.js: each file finds what they do
 * otherwise, more steps of the same kind don't.
 */
const isSmall = isQuick || process.env.TEST_SIZES === "quick";

/** How much of a property, a fuzz, a model or a matrix is run. */
export function sized<Size>(sizes: { readonly whole: Size; readonly quick: Size }): Size {
  return isSmall ? sizes.quick : sizes.whole;
}

/**
 * The integration tests of the quick pass: every wing once on its way through the product, in files of about
 * three seconds at the most. The others wait for many deadlines, start many processes, install what partners
 * use, or repeat a build for every fault there is.
 */
export const quickIntegration: readonly string[] = [
  "test/integration/audit/unrecorded.test.ts",
  "test/integration/booking/change-notifications.test.ts",
  "test/integration/build/publishing.test.ts",
  "test/integration/cli/transcripts.test.ts",
  "test/integration/cli/unknown-tenant.test.ts",
  "test/integration/cli/version.test.ts",
  "test/integration/database/refused-connections.test.ts",
  "test/integration/deploy/desk-front.test.ts",
  "test/integration/gateway/live-snapshots.test.ts",
  "test/integration/gateway/log.test.ts",
  "test/integration/gateway/quota.test.ts",
  "test/integration/gateway/right-store.test.ts",
  "test/integration/gateway/tokens.test.ts",
  "test/integration/gateway/wire-body.test.ts",
  "test/integration/gateway/wire-credentials.test.ts",
  "test/integration/gateway/wire-headers.test.ts",
  "test/integration/gateway/wire-message.test.ts",
  "test/integration/gateway/wire-method.test.ts",
  "test/integration/gateway/wire-target.test.ts",
  "test/integration/gateway-log/gateway-log.test.ts",
  "test/integration/snapshot/export.test.ts",
  "test/integration/snapshot/list.test.ts",
  "test/integration/snapshot/rollback.test.ts",
  "test/integration/snapshot/tidy.test.ts",
  "test/integration/source/check-structure.test.ts",
  "test/integration/source/prepared-statements.test.ts",
  "test/integration/source/views.test.ts",
  "test/integration/store/build-refusal.test.ts",
  "test/integration/store/file-store.test.ts",
  "test/integration/store/s3-requests.test.ts",
  "test/integration/store/s3-store.test.ts",
  "test/integration/support/config-and-openapi.test.ts",
  "test/integration/support/inspect-desk.test.ts",
  "test/integration/support/inspect-removed.test.ts",
  "test/integration/support/inspect-server.test.ts",
  "test/integration/support/log-setting.test.ts",
  "test/integration/support/worlds-together.test.ts",
  "test/integration/tokens/create.test.ts",
];
