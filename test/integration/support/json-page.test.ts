import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { page } from "../../support/markdown.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

const desk = forAllTests(openSupportDesk);
let gateway: GatewayFixture;
/** Of a token whose client breaks no rule. */
let goodTokenId: string;

beforeAll(async () => {
  await desk.build({ now: new Date("2026-11-21T08:00:00.000Z") });
  await desk.source.update("lifecycle_state = 'ended'", "NARA-2");
  await desk.source.update("cover_url = 'http://x'", "KYOTO-1");
  await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
  const { stdout } = await desk.run(["token", "create", "--tenant", deskTenant]);
  await desk.run(["token", "create", "--tenant", deskTenant, "--name", "Idle"]);
  const good = JSON.parse((await desk.run(["token", "create", "--tenant", deskTenant, "--json"])).stdout);
  goodTokenId = good.tokenId;
  gateway = await startGateway({ directory: desk.storeDirectory });
  for (const path of ["/v1/programs/NARA-2", "/api/v1/partner/programs"]) {
    await gateway.client.get(path, stdout.trim(), { "X-Request-Id": "documented" });
  }
  expect((await gateway.client.get("/v1/programs", good.token)).status).toBe(200);
});

afterAll(async () => {
  await gateway.close();
});

test.each([
  ["snapshot status", []],
  ["snapshot show", ["--tenant", deskTenant]],
  ["snapshot diff", ["--tenant", deskTenant]],
  ["snapshot explain", ["--tenant", deskTenant, "--program", "KYOTO-1"]],
  ["snapshot explain", ["--tenant", deskTenant, "--program", "kyoto-1"]],
  ["request explain", ["documented", "--log", "-"]],
  ["token usage", ["--log", "-"]],
  ["sandbox init", []],
  ["config", []],
])("docs/json.md names every key that %s --json prints (%j)", async (command, args) => {
  const given = args.map((arg) => (arg === "GOOD" ? goodTokenId : arg));
  const printed = await desk.json([...command.split(" "), ...given], { stdin: gateway.logText() });
  const section = sectionOf(command);
  const missing = [...keysOf(printed)].filter(
    (key) => !section.includes(`\`${key}\``) && !section.includes(`"${key}"`),
  );
  expect(missing.filter((key) => !documentedElsewhere.has(key))).toEqual([]);
  expect(keysOf(printed).size).toBeGreaterThan(3);
});

/** What stands below the heading, with the sections that it refers to. */
function sectionOf(command: string): string {
  const { text } = page("docs/json.md");
  const sections = text.split(/^## /m);
  const wanted = [
    command,
    ...(command.endsWith("explain") ? ["snapshot explain", "snapshot status", "snapshot diff"] : []),
  ];
  return wanted.map((name) => sections.find((section) => section.startsWith(`\`${name}\``)) ?? "").join("\n");
}

/** Of the run report and the manifest, to which the page refers, and problem codes. */
const documentedElsewhere = new Set([
  ...["added", "changed", "removed", "unchanged", "notPublishable", "invalid", "key", "sha256", "size"],
  ...["url_dropped", "rows_of_unknown_program", "fields_emptied"],
]);

function keysOf(value: unknown, keys = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const element of value) keysOf(element, keys);
  else if (typeof value === "object" && value !== null) {
    for (const [key, own] of Object.entries(value)) {
      keys.add(key);
      // What partners get; not ours to name.
      if (key !== "before" && key !== "after") keysOf(own, keys);
    }
  }
  return keys;
}
