import { hash } from "node:crypto";
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { publishedContract } from "../../../schemas/generated/validators-published.ts";
import { tenantRun, useWorkbench } from "../../support/workbench.ts";

/* A store as version 0.2 left it, document by document. The live snapshot of `acme` has the bytes that today's build makes. */

const older = "20261001T080000Z-0000000a";
const live = "20261002T080000Z-0000000b";
const ofSandbox = "20261002T080000Z-0000000c";

const bench = useWorkbench();

beforeEach(async () => {
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme" });
  await bench.insertPrograms("acme", "a");
  await writeEarlierStore();
});

/** Writes a file of the store; what is no text becomes JSON. */
async function write(key: string, content: unknown): Promise<string> {
  const path = join(bench.storeDirectory, key);
  await mkdir(dirname(path), { recursive: true });
  const text = typeof content === "string" ? content : `${JSON.stringify(content)}\n`;
  await writeFile(path, text);
  return text;
}

const read = (key: string): Promise<string> => readFile(join(bench.storeDirectory, key), "utf8");

const item = (name: string): string =>
  `{"id":"a","name":"${name}","status":"active","departureDate":null,"returnDate":null,"durationDays":null,"duration":null,` +
  '"capacity":{"total":10,"used":0,"remaining":10},"currency":null,"category":null,"guide":null,' +
  '"prices":{"startingAmount":null,"rooms":[],"children":[]}';

/** The responses of a snapshot with the one program `a`, by their keys below its folder. */
const responsesOf = (name: string): Readonly<Record<string, string>> => ({
  "v1/programs.json": `{"data":[${item(name)}}],"meta":{"count":1}}`,
  "api/v1/partner/programs.json": `{"success":true,"programs":[{"name":"${name}","capacity":{"total":10,"used":0,"remaining":10}}]}`,
  "v1/programs/a.json":
    `{"data":${item(name)},"description":null,"departurePoint":null,"hotels":[],"marketingTags":null,"staff":null,` +
    '"accommodation":null,"transport":null,"media":null,"content":null}}',
});

/** Writes a snapshot; its manifest says nothing of ancestors. Returns the manifest's digest. */
async function writeSnapshot(
  tenantId: string,
  snapshotId: string,
  name: string,
  parent: string | null,
): Promise<string> {
  const folder = `tenants/${tenantId}/snapshots/${snapshotId}`;
  const entries = await Promise.all(
    Object.entries(responsesOf(name)).map(async ([path, text]) => {
      const key = `${folder}/${path}`;
      await write(key, text);
      return { key, sha256: hash("sha256", text, "hex"), size: Buffer.byteLength(text) };
    }),
  );
  const [list, legacy, detail] = entries.map((entry) => JSON.stringify(entry));
  const manifest =
    `{"format":"partner-programs/manifest@1","tenantId":"${tenantId}","generation":${parent === null ? 1 : 2},` +
    `"snapshotId":"${snapshotId}","parent":${JSON.stringify(parent)},"generatedAt":"2026-10-02T08:00:00.000Z",` +
    `"contract":"${publishedContract}","counts":{"programs":1},"list":${list},"legacy":${legacy},"programs":{\n"a":${detail}\n}}`;
  await write(`${folder}/manifest.json`, manifest);
  return hash("sha256", manifest, "hex");
}

/** Writes the copies for people, with the boot id that told a later build whether the machine had been down. */
async function writeTree(
  tenantId: string,
  snapshotId: string,
  name: string,
  manifest: string,
): Promise<void> {
  for (const [path, text] of Object.entries(responsesOf(name)))
    await write(`tenants/${tenantId}/live/${path}`, text);
  await write(
    `tenants/${tenantId}/live/README.txt`,
    `format: partner-programs/live@1\nstate: complete\ntenant: ${tenantId}\nsnapshot: ${snapshotId}\nmanifest: ${manifest}\nboot: 5f0d-boot\n\nWhat partners get.\n`,
  );
}

const pointer = (tenantId: string, snapshotId: string, generation: number, manifestSha256: string) => ({
  format: "partner-programs/current@1",
  ...{ tenantId, generation, snapshotId, manifestSha256 },
  publishedAt: "2026-10-02T08:00:01.000Z",
  hold: null,
  nonce: "0".repeat(32),
});

async function writeEarlierStore(): Promise<void> {
  const createdAt = "2026-10-01T07:00:00.000Z";
  await write("store.json", {
    format: "partner-programs/store@1",
    storeId: `store_${"0".repeat(16)}`,
    createdAt,
  });
  await writeSnapshot("acme", older, "Older tour", null);
  // Which snapshot took its place, the mark of a rollback did not say.
  await write(`tenants/acme/snapshots/${older}/withdrawn.json`, {
    format: "partner-programs/withdrawn@1",
    ...{ tenantId: "acme", snapshotId: older, at: "2026-10-01T09:00:00.000Z" },
  });
  const manifest = await writeSnapshot("acme", live, "Tour a", older);
  await write("tenants/acme/current.json", pointer("acme", live, 3, manifest));
  const text = `{"format":"partner-programs/source@1","tenantId":"acme","snapshotId":"${live}","recipe":"${"0".repeat(64)}","programs":[\n["a","1","active",null,"1",0]\n],"rest":{"strays":[],"unlisted":[],"earlier":[],"mayHaveLiveTree":true}`;
  await write("tenants/acme/source.json", `${text},"sha256":"${hash("sha256", text, "hex")}"}`);
  await writeTree("acme", live, "Tour a", manifest);
  for (const folder of ["live", `snapshots/${live}/v1`]) {
    await write(`tenants/acme/${folder}/.new-01ab`, "cut");
    await utimes(join(bench.storeDirectory, `tenants/acme/${folder}/.new-01ab`), 1, 1);
  }
  const sandbox = await writeSnapshot("sandbox", ofSandbox, "Sandbox tour", null);
  await write("tenants/sandbox/current.json", pointer("sandbox", ofSandbox, 1, sandbox));
  await writeTree("sandbox", ofSandbox, "Sandbox tour", sandbox);
  const since = "2026-10-01T08:00:00.000Z";
  await write("runs/sandbox.json", { format: "partner-programs/sandbox@1", tenantId: "sandbox", since });
  await write("runs/damaged.json", { format: "partner-programs/damaged@1", tenants: {} });
  const tried = { triedAt: "2026-10-02T08:00:02.000Z", outcome: "elsewhere" };
  await write("runs/confirmed.json", {
    format: "partner-programs/confirmed@1",
    tenants: {
      acme: { snapshotId: live, confirmedAt: "2026-10-02T08:00:00.000Z", ...tried },
      sandbox: { snapshotId: ofSandbox, confirmedAt: "2026-10-02T08:00:00.000Z", ...tried },
    },
  });
  await write("tenants/removed.json", {
    format: "partner-programs/removed@1",
    revision: 3,
    tenants: {
      acme: { removedAt: null, isPurged: true, generation: 2 },
      gone: { removedAt: "2026-10-01T08:00:00.000Z", isPurged: true, generation: 9 },
    },
  });
}

test("a store of version 0.2 is sound to every command that reads, before anything is written", async () => {
  expect((await bench.run(["snapshot", "verify"])).status).toBe(0);
  expect(await bench.run(["snapshot", "list", "--tenant", "acme"])).toMatchObject({ status: 0 });
  const listed = JSON.parse((await bench.run(["tenant", "list", "--json"])).stdout);
  expect(JSON.stringify(listed)).toContain('"gone"');
  expect((await bench.run(["snapshot", "status"])).stdout).toContain("acme");
});

test("a build finds it unchanged, and its sandbox neither vanished nor touched; no tenant counts as removed that came back", async () => {
  const before = { pointer: await read("tenants/acme/current.json"), tree: await bench.tree() };
  const { status, report } = await bench.build();
  expect({ status, problems: report.problems }).toEqual({ status: 0, problems: [] });
  expect(report.tenants).toMatchObject([{ tenantId: "acme", outcome: "unchanged", generation: 3 }]);
  expect(await read("tenants/acme/current.json")).toBe(before.pointer);
  expect(await read("tenants/acme/source.json")).toContain("partner-programs/source@2");
  const [confirmed, last] = [await read("runs/confirmed.json"), await read("runs/last.json")];
  expect(JSON.parse(confirmed).tenants.acme).toMatchObject({ snapshotId: live, outcome: "unchanged" });
  expect(JSON.parse(last).tenants.acme).toMatchObject({ outcome: "unchanged" });
  expect((await bench.build()).report.tenants).toMatchObject([{ outcome: "unchanged" }]);
});

test("a change is published on top of it, with a later generation, and can be taken back", async () => {
  await bench.source.query("UPDATE partner_source.programs SET name = 'New tour'");
  const { status, report } = await bench.build();
  expect(status).toBe(0);
  const run = tenantRun(report, "acme");
  expect(run).toMatchObject({ outcome: "published", previousSnapshotId: live });
  expect(run.generation).toBeGreaterThan(9);
  const { manifest, list } = await bench.published("acme");
  expect([manifest.parent, manifest.ancestors]).toEqual([live, [live]]);
  expect(list.data.map(({ name }) => name)).toEqual(["New tour"]);
  expect(await read("tenants/acme/live/v1/programs/a.json")).toContain("New tour");
  expect(await read("tenants/acme/live/README.txt")).not.toContain("boot:");
  expect((await bench.run(["snapshot", "verify"])).status).toBe(0);
  expect((await bench.run(["snapshot", "rollback", "--tenant", "acme", "--reason", "x"])).status).toBe(0);
  expect((await bench.published("acme")).current).toMatchObject({ snapshotId: live });
});

test("its sandbox is published anew by `sandbox init`, and a removed tenant comes back with a later generation", async () => {
  expect((await bench.run(["sandbox", "init"])).status).toBe(0);
  expect((await bench.published("sandbox")).current.generation).toBeGreaterThan(9);
  await bench.source.insert("tenants", { tenant_id: "gone", name: "Gone" });
  await bench.insertPrograms("gone", "z");
  const { report } = await bench.build();
  expect(report.problems.map(({ code }) => code)).toEqual(["tenant_returned"]);
  expect(tenantRun(report, "gone").generation).toBeGreaterThan(9);
});
