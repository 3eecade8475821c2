import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { isQuick, leftOut } from "./test/support/quick-pass.ts";

// One process runs many files, which halves the time: a test undoes what it does to the process (nock, environment).
const isolate = false;

export default defineConfig({
  test: {
    // Many tests wait for deadlines and processes: one worker more than cores keeps all cores busy.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], isolate, testTimeout: 30_000 } },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          exclude: isQuick ? [...leftOut] : [],
          globalSetup: ["test/support/global-setup.ts"],
          isolate,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
