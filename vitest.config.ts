import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { patience } from "./test/support/patience.ts";
import { isQuick, quickIntegration } from "./test/support/quick-pass.ts";
import { ranWhole } from "./test/support/ran-whole.ts";

// One process runs many files, which halves the time: a test undoes what it does to the process (timers,
// environment).
const isolate = false;

// What ends a test that hangs. A busy machine takes its time: no test fails for that.
const hanging = { testTimeout: 300_000, hookTimeout: 600_000, expect: { poll: patience } };

const setupFiles = ["test/support/property-seed.ts"];

// After `npm test`, CI runs the rest: a case that was run at full size is not run again. Of those that the
// rest leaves out some run on another Node.js (`TEST_DONE=1`).
const isRest = process.env.TEST_REST === "1";
const isDone = process.env.TEST_DONE === "1";
const done = isRest || isDone ? [...ranWhole()] : [];

const unit = ["test/unit/**/*.test.ts"];
const integration = isQuick ? [...quickIntegration] : ["test/integration/**/*.test.ts"];
const globalSetup = ["test/support/global-setup.ts"];
const options = { exclude: isRest ? done : [], isolate, setupFiles, ...hanging };

// Each worker of each project loads all code anew, which takes a core seconds. So where all tests run they
// are one project; elsewhere the unit tests are a project of their own, which needs no database.
const together = [
  { test: { name: "all", include: isDone ? done : [...unit, ...integration], globalSetup, ...options } },
];
const apart = [
  { test: { name: "unit", include: unit, ...options } },
  { test: { name: "integration", include: integration, globalSetup, ...options } },
];

export default defineConfig({
  test: {
    // Most of the rest wait for deadlines and processes: three workers for each core keep all cores busy. The
    // quick pass waits little.
    maxWorkers: availableParallelism() * (isQuick ? 1 : 3),
    sequence: { sequencer: LongestFirst },
    // CI runs vitest four times: what one has compiled, the next ones take from node_modules.
    experimental: { fsModuleCache: true },
    projects: isQuick || isRest ? together : apart,
  },
});
