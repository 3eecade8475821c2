import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * These run for about 20 seconds and more. The first installs the partners' tools, for which the others that
 * use them would wait.
 */
const longest = [
  "test/integration/schemas/tool-clients.test.ts",
  "test/integration/commit/interrupted-builds.test.ts",
  "test/integration/gateway/last-good.test.ts",
  "test/integration/store/hostile-answers.test.ts",
  "test/integration/deploy/rolling-restart.test.ts",
  "test/integration/deploy/fronts.test.ts",
  "test/integration/docs/partner-client-trouble.test.ts",
  "test/integration/output/commands.test.ts",
  "test/integration/store/store-contract.test.ts",
  "test/unit/commit/model.test.ts",
  "test/integration/gateway/stalled-readers.test.ts",
  "test/integration/store/file-versions.test.ts",
  "test/integration/gateway/snapshot-faults.test.ts",
  "test/integration/gateway/freshness.test.ts",
  "test/integration/gateway/large-bodies.test.ts",
  "test/integration/build/incremental.test.ts",
  "test/integration/database/embedded-postgres.test.ts",
  "test/integration/watch/notified-tenants.test.ts",
  "test/integration/store/s3-faults.test.ts",
  "test/integration/docs/partner-client.test.ts",
  "test/integration/gateway/process.test.ts",
  "test/integration/build/ended-sessions.test.ts",
];

/**
 * Begins the longest files first, so that none of them runs alone at the end while the other workers have
 * nothing left to do.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
