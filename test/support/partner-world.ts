import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProgramListResponse } from "../../schemas/generated/types.ts";
import { runCommand } from "./command-line.ts";
import { startGateway } from "./gateway-fixture.ts";
import { createTestDatabase } from "./postgres.ts";

/**
 * The sample data as the real commands publish it, behind a real gateway, with a token for each kind of
 * answer.
 */
export type PartnerWorld = Awaited<ReturnType<typeof openPartnerWorld>>;

const tenantId = /"tenantId":"([^"]+)"/;

export async function openPartnerWorld() {
  const database = await createTestDatabase();
  const storeDirectory = await mkdtemp(join(tmpdir(), "partner-world-"));
  const env = { DATABASE_URL: database.url, STORE_URL: `file:${storeDirectory}`, LOG_LEVEL: "silent" };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await runCommand(args, { env });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout.trim();
  };
  await run("source", "seed");
  const report = (await runCommand(["snapshot", "build", "--json"], { env })).stdout;
  const tenant = tenantId.exec(report.replaceAll(/\s/g, ""))?.[1] ?? "";
  const create = (...args: readonly string[]): Promise<string> =>
    run("token", "create", "--tenant", tenant, ...args);
  /** A token of the first sample tenant with a quota that no test uses up. */
  const token = await create("--rate-limit", "100000");
  const revoked = JSON.parse(await create("--json"));
  await run("token", "revoke", revoked.tokenId);
  const refused = {
    revoked: revoked.token,
    withoutScope: await create("--scope", "other.read", "--allow-unknown-scope"),
    /** One request per window, and that has been made. */
    usedUp: await create("--rate-limit", "1"),
    /** Of a tenant that has published nothing. */
    unpublished: await run("token", "create", "--tenant", "not-yet", "--allow-unpublished"),
  };

  const gateway = await startGateway({
    directory: storeDirectory,
    env: { RATE_LIMIT_WINDOW_SECONDS: "3600" },
  });
  const { api } = gateway;
  const ask = async (bearer: string): Promise<string> =>
    (await fetch(`${api}/v1/programs`, { headers: { authorization: `Bearer ${bearer}` } })).text();
  const list: ProgramListResponse = JSON.parse(await ask(token));
  await ask(refused.usedUp);
  return {
    api,
    token,
    programIds: list.data.map(({ id }) => id),
    refused,
    async close() {
      await gateway.close();
      await rm(storeDirectory, { recursive: true, force: true });
      await database.close();
    },
  };
}
