import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { markedBlock, page } from "../../support/markdown.ts";

interface Programs {
  readonly snapshotId: string | undefined;
  readonly programs: ReadonlyMap<string, { readonly name: string }>;
}

interface ProgramsClient {
  sync(known?: Programs): Promise<Programs>;
}

let directory: string;
let createProgramsClient: (options: { baseUrl: string; token: string }) => ProgramsClient;
let fixture: GatewayFixture;
const token = issueToken("alpine-walks");

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "docs-test-"));
  const file = join(directory, "client.mjs");
  await writeFile(file, markedBlock(page("docs/partners.md").text, "client"));
  ({ createProgramsClient } = await import(pathToFileURL(file).href));
});

afterAll(() => rm(directory, { recursive: true, force: true }));
afterEach(() => fixture.close());

async function clientFor(env: Readonly<Record<string, string>>): Promise<ProgramsClient> {
  fixture = await startGateway({
    env,
    async fill(store, tokens) {
      await publishSnapshot(store, "alpine-walks", { programIds: ["a", "b", "c"], mark: "first" });
      await tokens.write([token]);
    },
  });
  return createProgramsClient({ baseUrl: fixture.api, token: token.plaintext });
}

describe("the client of the partner guide", () => {
  test("reads the list and the details, and next time the list only", async () => {
    const client = await clientFor({});
    const known = await client.sync();
    expect([...known.programs.values()].map(({ name }) => name)).toEqual(["first a", "first b", "first c"]);
    expect(await client.sync(known)).toBe(known);
    expect(fixture.log.filter(({ msg }) => msg === "request")).toHaveLength(5);
  });

  test("sees a new snapshot, and that a program is gone", async () => {
    const client = await clientFor({ SNAPSHOT_REFRESH_MS: "0" });
    const known = await client.sync();
    await publishSnapshot(fixture.store, "alpine-walks", {
      programIds: ["a", "c"],
      mark: "second",
      generation: 2,
    });
    const next = await client.sync(known);
    expect(next.snapshotId).not.toBe(known.snapshotId);
    expect([...next.programs.values()].map(({ name }) => name)).toEqual(["second a", "second c"]);
  });

  test("waits for the next window when its quota is used up", async () => {
    const client = await clientFor({ RATE_LIMIT_REQUESTS: "2", RATE_LIMIT_WINDOW_SECONDS: "2" });
    const known = await client.sync();
    expect(known.programs.size).toBe(3);
    expect(fixture.log.some(({ status }) => status === 429)).toBe(true);
  });

  test("gives up at once where asking again does not help, and names the request", async () => {
    await clientFor({});
    const stranger = createProgramsClient({ baseUrl: fixture.api, token: "ppr_wrong" });
    await expect(stranger.sync()).rejects.toThrow(/status 401, request [0-9a-f-]{36}/);
    expect(fixture.log.filter(({ status }) => status === 401)).toHaveLength(1);
  });
});
