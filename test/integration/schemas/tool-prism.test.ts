import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isProgramDetailResponse } from "../../../schemas/generated/validators-published.ts";
import { freePort } from "../../support/free-port.ts";
import { documentPath } from "../../support/openapi-document.ts";
import { installedTools } from "../../support/partner-tools.ts";
import { openPartnerWorld, type PartnerWorld } from "../../support/partner-world.ts";

let world: PartnerWorld;
let prism: ChildProcess;
/** Prism stands before the gateway and holds what passes against the document. */
let url: string;

beforeAll(async () => {
  const tools = await installedTools();
  world = await openPartnerWorld();
  // It takes no port 0.
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const program = join(tools, "node_modules/@stoplight/prism-cli/dist/index.js");
  const args = [program, "proxy", documentPath, world.api, "--port", String(port), "--host", "127.0.0.1"];
  prism = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  for (let output = ""; !output.includes("Prism is listening"); ) {
    const [text] = await once(prism.stdout ?? prism, "data");
    output += String(text);
  }
});

afterAll(async () => {
  prism?.kill();
  await world?.close();
});

const statuses = [200, 401, 403, 429, 500] as const;
const operations: readonly (readonly [number, string])[] = [
  ...statuses.map((status) => [status, "/v1/programs"] as const),
  ...statuses.map((status) => [status, "/api/v1/partner/programs"] as const),
  ...[...statuses, 400, 404].map((status) => [status, "/v1/programs/{programId}"] as const),
];

describe("W65 Prism", () => {
  test.each(operations)("finds nothing wrong with the real %d of %s", async (status, path) => {
    const { refused, programIds } = world;
    const id = { 400: "-", 404: "none" }[status] ?? programIds[0] ?? "";
    const tokens: Readonly<Record<number, string>> = {
      401: refused.revoked,
      403: refused.withoutScope,
      429: refused.usedUp,
      500: refused.unpublished,
    };
    const response = await ask(path.replace("{programId}", id), tokens[status] ?? world.token);
    await response.text();
    expect([response.status, violations(response)]).toEqual([status, []]);
  });

  test("finds nothing wrong with any program, nor with a gzip answer of one", async () => {
    for (const id of world.programIds) {
      const response = await ask(`/v1/programs/${id}`, world.token);
      expect([response.status, violations(response)]).toEqual([200, []]);
      expect(isProgramDetailResponse(await response.json())).toBe(true);
    }
  });
});

function ask(path: string, token: string): Promise<Response> {
  return fetch(url + path, { headers: { authorization: `Bearer ${token}`, "accept-encoding": "gzip" } });
}

/** What Prism says of the answer. */
function violations(response: Response): unknown[] {
  const found: readonly { location: readonly string[] }[] = JSON.parse(
    response.headers.get("sl-violations") ?? "[]",
  );
  return found.filter(({ location }) => location[0] === "response");
}
