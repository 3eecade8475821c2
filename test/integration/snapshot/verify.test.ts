import { beforeEach, describe, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ids.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { manifestKey } from "../../../core/object-key.ts";
import { forgeSnapshot, type Responses } from "../../support/forged-snapshot.ts";
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
