import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { patience } from "./test/support/patience.ts";
import { isQuick, quickIntegration } from "./test/support/quick-pass.ts";
import { ranWhole } from "./test/support/ran-whole.ts";

// One process runs many files, which halves the time: a test undoes what it does to the process (timers, environment).
const isolate = false;

// What ends a test that hangs. A busy machine takes its time: no test fails for that.
const hanging = { testTimeout: 300_000, hookTimeout: 600_000, expect: { poll: patience } };

const setupFiles = ["test/support/property-seed.ts"];

// After `npm test`, CI runs the rest: a case that was run at full size is not run again.
const isRest = process.env.TEST_REST === "1";
const done = isRest ? ranWhole() : [];

export default defineConfig({
  test: {
    // Many tests wait for deadlines and processes: two workers for each core keep all cores busy.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          exclude: [...done],
          isolate,
          setupFiles,
          ...hanging,
        },
      },
      {
        test: {
          name: "integration",
          include: isQuick ? [...quickIntegration] : ["test/integration/**/*.test.ts"],
          exclude: [...done],
          globalSetup: ["test/support/global-setup.ts"],
          isolate,
          setupFiles,
          ...hanging,
        },
      },
    ],
  },
});
