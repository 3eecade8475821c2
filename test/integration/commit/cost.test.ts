import { beforeEach, expect, test } from "vitest";
import type { RunReport, StoreRequests } from "../../../schemas/generated/types.ts";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { forAllTests } from "../../support/lasting.ts";
import { type LoggedRequest, startS3Server, testBucket } from "../../support/s3-server.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

const server = forAllTests(startS3Server);
const desk = forAllTests(openSupportDesk);
withAwsEnvironment(() => server.env);
beforeEach(async () => {
  server.reset();
  await build();
});

interface Cost {
  /** What the run report says of the tenant. */
  readonly reported: StoreRequests;
  /** What the server was really asked about the tenant, and for whatever else. */
  readonly tenant: readonly string[];
  readonly others: readonly string[];
  readonly report: RunReport;
}

const storeEnv = () => ({ ...server.env, STORE_URL: `s3://${testBucket}` });

async function build(more: Readonly<Record<string, string>> = {}, ...args: string[]): Promise<Cost> {
  server.log.length = 0;
  const env = { ...storeEnv(), ...more };
  const { status, stdout, stderr } = await desk.build({ args: ["--json", ...args], env });
  expect([status, stderr.replace(/^partner-programs: this begins .*\n/, "")]).toEqual([0, ""]);
  const report: RunReport = JSON.parse(stdout);
  const [run] = report.tenants;
  if (run === undefined) throw new Error("no tenant was built");
  const isTenants = ({ key }: LoggedRequest): boolean => key.startsWith(`tenants/${deskTenant}/`);
  const shown = ({ operation, key }: LoggedRequest): string =>
    `${operation} ${key.replace(/^tenants\/[^/]+\//, "").replace(/^snapshots\/[^/]+\//, "")}`;
  return {
    reported: run.requests,
    tenant: server.log.filter(isTenants).map(shown).sort(),
    others: server.log.filter((request) => !isTenants(request)).map(({ operation }) => operation),
    report,
  };
}

const change = (set: string): Promise<void> => desk.source.update(set, "KYOTO-1");

const reads = ["GetObject current.json", "GetObject manifest.json", "GetObject source.json"];
const commit = ["PutObject current.json", "PutObject manifest.json", "PutObject source.json"];
/** From which all other programs are taken over. */
const lists = ["GetObject v1/programs.json"];
/** P224: what the run's spot check reads of the programs that were taken over. */
const spotCheck = (...ids: readonly string[]): readonly string[] => [
  "GetObject current.json",
  ...lists,
  "GetObject api/v1/partner/programs.json",
  ...ids.map((id) => `GetObject v1/programs/${id}.json`),
];
/** A manifest that was written by this run is read back, too. */
const spotCheckAfterChange = ["GetObject manifest.json", ...spotCheck("NARA-2")];
const detail = "PutObject v1/programs/KYOTO-1.json";
const list = "PutObject v1/programs.json";
const legacy = "PutObject api/v1/partner/programs.json";

test("P7 an unchanged tenant costs 3 reads and no write", async () => {
  const { tenant, reported, others } = await build();
  expect(tenant).toEqual([...reads, ...spotCheck("KYOTO-1", "NARA-2")].sort());
  expect(reported).toEqual({ get: 3, put: 0, list: 0, delete: 0 });
  // The run as a whole costs one listing of the tenants, one look for a sandbox, one for removed tenants, one
  // report, the age of the data and the last runs read and written, and `store.json` read (P161). There is no
  // probe: what a lost write of that age does, the next build mends.
  expect([...others].sort()).toEqual([
    "GetObject",
    "GetObject",
    "GetObject",
    "GetObject",
    "GetObject",
    "ListObjectsV2",
    "PutObject",
    "PutObject",
    "PutObject",
  ]);
});

test("a program whose name changed costs 6 writes: detail, list, legacy list, manifest, pointer, memory", async () => {
  await change("name = name || '!'");
  const { tenant, reported } = await build();
  expect(tenant).toEqual(
    [...reads, ...lists, detail, list, legacy, ...commit, ...spotCheckAfterChange].sort(),
  );
  expect(reported).toEqual({ get: 4, put: 6, list: 0, delete: 0 });
});

test("a change of a field that the legacy list does not have leaves that list alone", async () => {
  await change("currency = 'CHF'");
  expect((await build()).tenant).toEqual(
    [...reads, ...lists, detail, list, ...commit, ...spotCheckAfterChange].sort(),
  );
});

test("a change of a field that is not in the list costs 4 writes", async () => {
  await change("description = coalesce(description, '') || 'More. '");
  const { tenant, reported } = await build();
  expect(tenant).toEqual([...reads, ...lists, detail, ...commit, ...spotCheckAfterChange].sort());
  expect(reported.put).toBe(4);
});

test("with LIVE_COPY=on a change costs a copy of each changed file, and the marker twice", async () => {
  const env = { LIVE_COPY: "on" };
  await build(env);
  await change("name = name || '+'");
  const { tenant, reported } = await build(env);
  const copies = ["api/v1/partner/programs.json", "v1/programs.json", "v1/programs/KYOTO-1.json"];
  const marker = "PutObject live/README.txt";
  expect(tenant).toEqual(
    [
      ...[...reads, ...lists, "GetObject current.json", "GetObject live/README.txt"],
      ...[detail, list, legacy, ...commit],
      ...copies.map((name) => `CopyObject live/${name}`),
      ...[marker, marker],
      ...spotCheckAfterChange,
    ].sort(),
  );
  expect(reported).toEqual({ get: 6, put: 11, list: 0, delete: 0 });
  const unchanged = await build(env);
  const marked = [...reads, "GetObject live/README.txt", ...spotCheck("KYOTO-1", "NARA-2")];
  expect(unchanged.tenant).toEqual(marked.sort());
});

const prune = (...args: string[]) =>
  desk.run(["snapshot", "prune", "--tenant", deskTenant, ...args], {
    env: storeEnv(),
    now: new Date(Date.now() + 48 * 3_600_000),
  });

test("a prune with nothing to delete costs a tenant one listing, one read, and three more per snapshot", async () => {
  await change("name = name || '?'");
  await build();
  server.log.length = 0;
  const { status } = await prune();
  expect(status).toBe(0);
  // Beside the proof of conditional writes before it, and one look at the store's identity for the whole run.
  const asked = server.log.filter(({ key }) => !key.startsWith("probe/")).map(({ operation }) => operation);
  expect(asked.sort()).toEqual([
    ...Array.from({ length: 1 + 1 + 2 * 3 }, () => "GetObject"),
    "ListObjectsV2",
  ]);
});

/** The snapshot that a build published. */
const built = async (...args: string[]) => (await build({}, ...args)).report.tenants[0]?.snapshotId;
const setState = (id: string, state: string) => desk.source.update(`lifecycle_state = '${state}'`, id);
const explain = (programId: string, ...args: string[]) =>
  desk.run(["snapshot", "explain", "--tenant", deskTenant, "--program", programId, ...args], {
    env: storeEnv(),
  });

/** What `snapshot explain` says of a program's past, and how often it asks the store. */
async function pastOf(programId: string) {
  server.log.length = 0;
  const { stdout } = await explain(programId, "--json");
  const { history, snapshotId } = JSON.parse(stdout).live;
  const [last, by] = [history.last?.snapshotId, history.removedBy?.snapshotId];
  return { ...history, last, by, live: snapshotId, requests: server.log.length };
}

/** P48: a question costs as much, however long the history is. */
const few = expect.toSatisfy((requests: number) => requests <= 12);

test("P48 what took a program out is known at once, by the last build or by an earlier one, kept or not", async () => {
  await setState("NARA-2", "active");
  const last = await built();
  await setState("NARA-2", "cancelled");
  const by = await built();
  expect(await pastOf("NARA-2")).toMatchObject({ last, by, live: by, requests: few });
  for (let at = 0; at < 20; at += 1) {
    await change("name = name || '.'");
    await build();
  }
  expect(await pastOf("NARA-2")).toMatchObject({ last, by, isServed: false, requests: few });
  expect(await pastOf("OSAKA-3")).toMatchObject({ snapshotsExamined: 22, isCut: false, requests: few });
  expect((await explain("NARA-2")).stdout).not.toContain("kept");
  await prune("--keep", "1", "--min-age", "0");
  expect((await explain("NARA-2")).stdout).toMatch(
    new RegExp(`${last},[^]*no\\s+longer\\s+kept[^]*${by},[^]*kept`),
  );
});

test("P48 a program that came back left by the later build, also by one that only withdrew, and by `--rewrite`", async () => {
  for (const state of ["cancelled", "active"]) {
    await setState("NARA-2", state);
    await build();
  }
  expect(await pastOf("NARA-2")).toMatchObject({ isServed: true, last: undefined });
  const last = await built();
  await setState("NARA-2", "cancelled");
  await change("name = NULL");
  await desk.build({ args: ["--on-invalid", "fail"], env: storeEnv() });
  const { by, live, ...found } = await pastOf("NARA-2");
  expect({ by, ...found }).toMatchObject({ by: live, last, requests: few });
  await change("lifecycle_state = 'draft'");
  const anew = await built("--rewrite");
  expect(await pastOf("KYOTO-1")).toMatchObject({ last: live, by: anew, requests: few });
  expect(await pastOf("NARA-2")).toMatchObject({ last, by, requests: few });
  expect(await pastOf("OSAKA-3")).toMatchObject({ snapshotsExamined: 1, isCut: false, requests: few });
});

test("P48 a rollback is told from the history, and builds after it claim nothing of what it took back", async () => {
  await change("name = 'Kyoto', lifecycle_state = 'active'");
  await build();
  await setState("OSAKA-3", "active");
  await build();
  const operate = (command: string) =>
    desk.run(["snapshot", command, "--tenant", deskTenant, "--reason", "x"], { env: storeEnv() });
  await operate("rollback");
  expect(await pastOf("OSAKA-3")).toMatchObject({ rolledBackAt: expect.any(String) });
  await operate("release");
  await setState("OSAKA-3", "draft");
  await change("name = 'Kyoto!'");
  await build();
  expect(await pastOf("OSAKA-3")).toMatchObject({ snapshotsExamined: 2, isCut: true, requests: few });
});
