import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { parseProgramId, parseTenantId, snapshotId } from "../../../core/ids.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { manifestKey, type ResponseName, responseKey } from "../../../core/object-key.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { publishManifest } from "../../support/gateway-snapshots.ts";
import { forEachTest } from "../../support/lasting.ts";
import { objectKey, openStoreTools, type StoreTools, toolsTenant } from "../../support/store-tools.ts";

const programs = [
  { programId: "KYOTO-1", name: "Temples", departureDate: "2027-04-01", description: "Old" },
  { programId: "NARA-2", name: "Deer", departureDate: "2027-05-01" },
  { programId: "OSAKA-3", name: "Food" },
];
const tenantId = parseTenantId(toolsTenant);

const tools = forEachTest(openStoreTools);
beforeEach(async () => {
  await tools.build(programs);
});
const verify = (...args: string[]) => tools.run(["snapshot", "verify", ...args]);

interface Found {
  readonly code: string;
  readonly key: string;
  readonly message: string;
  readonly remedy: string;
}

async function findings(): Promise<readonly Found[]> {
  const { status, stdout } = await verify("--tenant", toolsTenant, "--json");
  const [tenant] = JSON.parse(stdout).tenants;
  expect(status).toBe(tenant.findings.length === 0 ? 0 : 1);
  return tenant.findings;
}

const detailKeys = async (id: string): Promise<string[]> =>
  (await tools.keys(`tenants/${toolsTenant}/snapshots/`)).filter((key) =>
    key.endsWith(`/v1/programs/${id}.json`),
  );

async function overwrite(key: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  await tools.store.put(objectKey(key), bytesBody(change(await tools.read(key))));
}

test("a sound store is clean: exit 0, and every object was read", async () => {
  const { status, stdout } = await verify();
  expect(status).toBe(0);
  const [, line = ""] = stdout.trim().split("\n");
  expect(line.split(/ {2,}/).slice(0, 2)).toEqual([toolsTenant, "clean"]);

  const printed = JSON.parse((await verify("--json")).stdout);
  const bytes = await Promise.all((await tools.keys(`tenants/${toolsTenant}/snapshots/`)).map(tools.read));
  const manifest = await tools.read(manifestKey(tenantId, (await tools.current()).snapshotId));
  expect(printed).toMatchObject({
    outcome: "clean",
    tenants: [{ outcome: "clean", programs: 3, objects: 7 }],
  });
  expect(printed.tenants[0].bytes).toBe(Buffer.concat(bytes).length - manifest.length);
});

test("a missing object is a finding with its key and what to do", async () => {
  const [key = ""] = await detailKeys("NARA-2");
  await tools.store.delete([objectKey(key)]);

  const { status, stdout } = await verify();
  expect(status).toBe(1);
  expect(stdout).toContain(`${key}: the object is missing`);
  expect(stdout).toContain(`snapshot build --tenant ${toolsTenant} --rewrite`);
  expect(stdout).toContain(`snapshot rollback --tenant ${toolsTenant}`);
});

test("an object of another size, and one of other bytes of the same size, are findings", async () => {
  const [cut = ""] = await detailKeys("NARA-2");
  const [flipped = ""] = await detailKeys("OSAKA-3");
  await overwrite(cut, (bytes) => bytes.subarray(0, -1));
  await overwrite(flipped, (bytes) => Buffer.from(bytes.toString().replace("Food", "Foot")));

  const found = await findings();
  expect(found.map(({ code, key }) => [code, key])).toEqual(
    expect.arrayContaining([
      ["object_damaged", cut],
      ["object_damaged", flipped],
    ]),
  );
  expect(found).toHaveLength(2);
  expect(found.map(({ message }) => message).sort()).toEqual([
    expect.stringMatching(/^the object has \d+ bytes, the manifest says \d+$/),
    expect.stringMatching(/ SHA-256 [0-9a-f]{64}, .* [0-9a-f]{64}$/),
  ]);
});

test("a build takes a damaged file over as unchanged; --rewrite writes every file anew and mends it", async () => {
  const [key = ""] = await detailKeys("NARA-2");
  await overwrite(key, () => Buffer.from("{}"));
  expect((await tools.build(programs)).outcome).toBe("unchanged");
  expect(await findings()).toHaveLength(1);

  const run = await tools.build(programs, { rewrite: true });
  expect(run).toMatchObject({
    outcome: "published",
    counts: { programs: 3, unchanged: 3, added: 0, changed: 0 },
  });
  expect(await findings()).toEqual([]);
  expect(await detailKeys("KYOTO-1")).toHaveLength(2);
});

test("a missing manifest and a damaged one are findings that the next build mends", async () => {
  const key = manifestKey(tenantId, (await tools.current()).snapshotId);
  await overwrite(key, (bytes) => Buffer.concat([bytes, Buffer.from(" ")]));
  expect(await findings()).toMatchObject([{ code: "manifest_damaged", key }]);
  await tools.store.delete([key]);
  expect(await findings()).toMatchObject([{ code: "manifest_damaged", key }]);
  expect((await tools.build(programs)).outcome).toBe("published");
  expect(await findings()).toEqual([]);
});

describe("what no digest gives away", () => {
  const cases: readonly [
    name: string,
    bend: (responses: Responses) => void,
    code: string,
    message: RegExp,
  ][] = [
    [
      "a detail with a private key",
      ({ details }) => {
        details["NARA-2"].data.dailyPlan = "secret";
      },
      "response_invalid",
      /must have no key "dailyPlan"/,
    ],
    [
      "a list with a further key",
      ({ list }) => {
        list.more = [];
      },
      "response_invalid",
      /must have no key "more"/,
    ],
    [
      "a list that is not JSON",
      (responses) => {
        responses.list = `${JSON.stringify(responses.list).slice(0, -1)},`;
      },
      "response_invalid",
      /the list is not JSON/,
    ],
  ];

  test.each(cases)("%s is a finding", async (_, bend, code, message) => {
    await forgeSnapshot(tools, bend);
    const found = await findings();
    expect(found.map((finding) => finding.code)).toContain(code);
    expect(found.map((finding) => finding.message).join("\n")).toMatch(message);
  });
});

/** The responses of a snapshot as JSON values, to be bent. */
interface Responses {
  list: Json;
  legacy: Json;
  details: Record<string, Json>;
}

// biome-ignore lint/suspicious/noExplicitAny: what a test makes of a response is of no type on purpose
type Json = any;

/**
 * Publishes a copy of the live snapshot that `bend` has changed, with a manifest that vouches for exactly these bytes: what
 * a defect of the generator would leave, since no digest gives it away.
 */
async function forgeSnapshot(tools: StoreTools, bend: (responses: Responses) => void): Promise<void> {
  const tenantId = parseTenantId(toolsTenant);
  const { generation, snapshotId: live } = await tools.current();
  const read = async (name: ResponseName): Promise<Json> =>
    JSON.parse((await tools.read(responseKey(tenantId, live, name))).toString());
  const list = await read({ kind: "list" });
  const responses: Responses = { list, legacy: await read({ kind: "legacy" }), details: {} };
  for (const { id } of list.data) {
    responses.details[id] = await read({ kind: "detail", programId: parseProgramId(id) });
  }
  bend(responses);

  const id = snapshotId(new Date(), randomBytes(4));
  const put = async (name: ResponseName, value: Json): Promise<ResponseEntry> => {
    const body = bytesBody(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
    const key = responseKey(tenantId, id, name);
    await tools.store.put(key, body);
    return { key, sha256: body.sha256, size: body.size };
  };
  const programs = new ProgramTable();
  for (const [text, value] of Object.entries(responses.details)) {
    const programId = parseProgramId(text);
    const { sha256, size } = await put({ kind: "detail", programId }, value);
    programs.add(programId, { snapshotId: id, sha256, size });
  }
  await publishManifest(tools.store, {
    tenantId,
    generation: generation + 1,
    snapshotId: id,
    parent: live,
    generatedAt: new Date().toISOString(),
    contract: "c0".repeat(32),
    list: await put({ kind: "list" }, responses.list),
    legacy: await put({ kind: "legacy" }, responses.legacy),
    programs,
  });
}
