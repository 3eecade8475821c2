import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import { initSource } from "../../cli/demo/booking/init-source.ts";
import { databaseUrl, onServer } from "./postgres.ts";

/**
 * Before the integration tests: one PostgreSQL server for all of them (`TEST_DATABASE_URL`, else the embedded
 * one with a throw-away cluster), and the built programs, for tests that run them (`TEST_SKIP_BUILD=1` takes
 * `dist/` as it is). Returns what undoes it.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const building = process.env.TEST_SKIP_BUILD === "1" ? Promise.resolve() : build();
  const server = await startServer();
  const template = `test_template_${randomBytes(6).toString("hex")}`;
  await onServer(server.url, `CREATE DATABASE ${template} TEMPLATE template0`);
  await initSource(databaseUrl(server.url, template));
  project.provide("postgresUrl", server.url);
  project.provide("templateDatabase", template);
  const undo = async (): Promise<void> => {
    await onServer(server.url, `DROP DATABASE ${template} WITH (FORCE)`);
    await server.stop();
  };
  await building.catch(async (error: unknown) => {
    await undo();
    throw error;
  });
  return undo;
}

async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== "") return { url: given, stop: () => Promise.resolve() };
  const directory = await mkdtemp(join(tmpdir(), "partner-programs-test-"));
  // As root the server runs under another account, which has to pass.
  await chmod(directory, 0o755);
  const server = await startEmbeddedPostgres(directory, false);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function build(): Promise<void> {
  try {
    await promisify(execFile)("npm", ["run", "build"]);
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    throw new Error(`npm run build failed:\n${output}`, { cause: error });
  }
}
