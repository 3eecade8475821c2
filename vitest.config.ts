import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The default leaves one core free, which on two cores halves the speed.
    maxWorkers: "100%",
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
