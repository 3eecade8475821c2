import { beforeEach, describe, expect, test } from "vitest";
import { confirmationsBytes } from "../../../core/documents/confirmations.ts";
import { parseProgramId, parseTenantId } from "../../../core/ground/ids.ts";
import { confirmedKey, currentKey, manifestKey, type ResponseName } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { forgeResponse } from "../../support/forge-response.ts";
import { forEachTest } from "../../support/lasting.ts";
import { objectKey, openStoreTools, toolsTenant } from "../../support/store-tools.ts";

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
  expect(stdout).not.toContain("snapshot rollback");
});

test("P208 an earlier snapshot is offered where there is one, by a command that a rollback takes", async () => {
  await tools.build([{ programId: "NARA-2", name: "Newer" }]);
  const damage = async () => {
    const { snapshotId } = await tools.current();
    const key = (await detailKeys("NARA-2")).find((each) => each.includes(snapshotId)) ?? "";
    await tools.store.delete([objectKey(key)]);
    const [, command = ""] = /`(snapshot rollback [^`]*)`/.exec((await verify()).stdout) ?? [];
    return command.split(" ");
  };
  const first = await damage();
  expect(first).toEqual(["snapshot", "rollback", "--tenant", toolsTenant]);
  expect((await tools.run([...first, "--allow-shrink"])).status).toBe(0);
  // Now a rollback holds the tenant, and the next one has to be told where to go.
  const second = await damage();
  expect(second).toContain("--to");
  expect((await tools.run(second)).stderr).toMatch(/is not complete/);
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
  expect([(await tools.build(programs)).outcome, await findings()]).toEqual(["published", []]);
});

test.each<[string, ResponseName, string | RegExp, string, RegExp]>([
  [
    "a detail with a private key",
    { kind: "detail", programId: parseProgramId("NARA-2") },
    '{"data":{',
    '{"data":{"dailyPlan":"secret",',
    /must have no key "dailyPlan"/,
  ],
  ["a list with a further key", { kind: "list" }, /^./, '{"more":[],', /must have no key "more"/],
  ["a list that is not JSON", { kind: "list" }, /.$/, ",", /the list is not JSON/],
])("what no digest gives away %s is a finding", async (_, name, piece, forged, message) => {
  await forge(name, (text) => text.replace(piece, forged));
  const found = await findings();
  expect(found.map(({ code }) => code)).toContain("response_invalid");
  expect(found.map((finding) => finding.message).join("\n")).toMatch(message);
});

const forge = (name: ResponseName, change: (text: string) => string): Promise<void> =>
  forgeResponse(tools.store, toolsTenant, name, change);

describe("P223 what is valid by itself and disagrees with the rest", () => {
  const list = { kind: "list" } as const;
  const legacy = { kind: "legacy" } as const;
  const nara = { kind: "detail", programId: parseProgramId("NARA-2") } as const;
  const element = /,\{"id":"NARA-2".*(?=,\{"id":"OSAKA-3")/;
  test.each<[string, ResponseName, (text: string) => string, RegExp]>([
    ["an element lost", list, (text) => text.replace(element, ""), /lacks program NARA-2/],
    ["an element twice", list, (text) => text.replace(element, "$&$&"), /a program twice/],
    ["another tenant's", list, (text) => text.replace('"OSAKA-3"', '"PARIS-3"'), /lacks program OSAKA-3/],
    [
      "one too many",
      list,
      (text) => text.replace(element, (found) => found + found.replace("NARA", "ROME")),
      /has program ROME-2/,
    ],
    ["another order", list, (text) => text.replace("2027-04-01", "2027-06-01"), /NARA-2 at a wrong place/],
    ["another count", list, (text) => text.replace('"count":3', '"count":4'), /counts 4 programs, and has 3/],
    ["an empty list", list, () => '{"data":[],"meta":{"count":0}}', /lacks program KYOTO-1/],
    ["an empty legacy list", legacy, () => '{"success":true,"programs":[]}', /legacy list has 0 programs/],
    [
      "another name in the legacy list",
      legacy,
      (text) => text.replace("Deer", "Dear"),
      /something else of program NARA-2/,
    ],
    [
      "an older version",
      list,
      (text) => text.replace(/(NARA.*?"total":)\d+/, "$119"),
      /something else of program NARA-2/,
    ],
    ["an older detail", nara, (text) => text.replace("Deer", "Dear"), /something else of this program/],
  ])("%s is a finding, and --rewrite mends it", async (_, name, change, message) => {
    await forge(name, change);
    const found = await findings();
    expect(found.map(({ code }) => code)).toContain("snapshot_disagrees");
    expect(found.map((finding) => finding.message).join("\n")).toMatch(message);
    expect((await tools.build(programs, { rewrite: true })).outcome).toBe("published");
    expect(await findings()).toEqual([]);
  });
});

describe("over all tenants", () => {
  test("a damaged current.json is a finding of its tenant and does not keep the others from being verified", async () => {
    const key = currentKey(parseTenantId("atlas"));
    await tools.store.put(key, bytesBody(Buffer.from('{"format":"x"}')));

    const { status, stdout } = await verify("--json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout).tenants).toMatchObject([
      { tenantId: "atlas", outcome: "findings", findings: [{ code: "pointer_damaged", key }] },
      { tenantId: toolsTenant, outcome: "clean" },
    ]);
  });

  test("a pointer that was lost is told from one that never was, and a build mends it", async () => {
    const { snapshotId, publishedAt: confirmedAt } = await tools.current();
    const confirmation = { snapshotId, confirmedAt, triedAt: confirmedAt, outcome: "published" };
    await tools.store.put(confirmedKey, bytesBody(confirmationsBytes(new Map([[tenantId, confirmation]]))));
    await tools.store.delete([currentKey(tenantId)]);
    const { status, stdout } = await verify("--json");
    const [tenant] = JSON.parse(stdout).tenants;
    expect([status, tenant.outcome, tenant.findings]).toMatchObject([
      1,
      "findings",
      [
        {
          code: "pointer_missing",
          remedy: expect.stringContaining(`snapshot build --tenant ${toolsTenant}`),
        },
      ],
    ]);
    await tools.build(programs);
    expect((await verify()).status).toBe(0);
  });

  test("the sandbox, which no run builds, is mended by its own command", async () => {
    const args = ["sandbox", "init", "--without-source"];
    expect((await tools.run(args)).status).toBe(0);
    const key = currentKey(parseTenantId("sandbox"));
    await tools.store.put(key, bytesBody(Buffer.from("{}")));
    const { stdout } = await verify("--tenant", "sandbox", "--json");
    const [{ remedy }] = JSON.parse(stdout).tenants[0].findings;
    expect(remedy).toMatch(/^Run `sandbox init`; .* `sandbox init --remove`/);
    expect((await tools.run([...args, "--remove"])).status).toBe(0);
    expect((await tools.run(args)).status).toBe(0);
    expect((await verify("--tenant", "sandbox")).status).toBe(0);
  });
});
