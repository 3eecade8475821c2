import { defineConfig } from "vitest/config";

// One process runs many files, which halves the time: a test undoes what it does to the process (nock, environment).
const isolate = false;

export default defineConfig({
  test: {
    // The default leaves one core free, which on two cores is half the machine.
    maxWorkers: "100%",
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], isolate, testTimeout: 30_000 } },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
          isolate,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
