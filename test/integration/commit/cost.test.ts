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

async function build(env: Readonly<Record<string, string>> = {}): Promise<Cost> {
  server.log.length = 0;
  const { status, stdout, stderr } = await desk.build({
    args: ["--json"],
    env: { ...server.env, STORE_URL: `s3://${testBucket}`, ...env },
  });
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
const detail = "PutObject v1/programs/KYOTO-1.json";
const list = "PutObject v1/programs.json";
const legacy = "PutObject api/v1/partner/programs.json";

test("P7 an unchanged tenant costs 3 reads and no write", async () => {
  const { tenant, reported, others } = await build();
  expect(tenant).toEqual(reads);
  expect(reported).toEqual({ get: 3, put: 0, list: 0, delete: 0 });
  // The run as a whole costs one listing of the tenants, one look for a sandbox, one for removed tenants, one report, the age of the
  // data and the last runs read and written, and `store.json` read (P161). There is no probe: what a lost write of that age does, the
  // next build mends.
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
  expect(tenant).toEqual([...reads, ...lists, detail, list, legacy, ...commit].sort());
  expect(reported).toEqual({ get: 4, put: 6, list: 0, delete: 0 });
});

test("a change of a field that the legacy list does not have leaves that list alone", async () => {
  await change("currency = 'CHF'");
  expect((await build()).tenant).toEqual([...reads, ...lists, detail, list, ...commit].sort());
});

test("a change of a field that is not in the list costs 4 writes", async () => {
  await change("description = coalesce(description, '') || 'More. '");
  const { tenant, reported } = await build();
  expect(tenant).toEqual([...reads, ...lists, detail, ...commit].sort());
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
      ...[...reads, ...lists, "GetObject live/README.txt"],
      ...[detail, list, legacy, ...commit],
      ...copies.map((name) => `CopyObject live/${name}`),
      ...[marker, marker],
    ].sort(),
  );
  expect(reported).toEqual({ get: 5, put: 11, list: 0, delete: 0 });
  const unchanged = await build(env);
  expect(unchanged.tenant).toEqual([...reads, "GetObject live/README.txt"].sort());
});

test("a prune with nothing to delete costs a tenant one listing, one read, and three more per snapshot", async () => {
  await change("name = name || '?'");
  await build();
  server.log.length = 0;
  const env = { ...server.env, STORE_URL: `s3://${testBucket}` };
  const now = new Date(Date.now() + 48 * 3_600_000);
  expect(await desk.run(["snapshot", "prune", "--tenant", deskTenant], { env, now })).toMatchObject({
    status: 0,
  });
  // Beside the proof of conditional writes before it, and one look at the store's identity for the whole run.
  const asked = server.log.filter(({ key }) => !key.startsWith("probe/")).map(({ operation }) => operation);
  expect(asked.sort()).toEqual([
    ...Array.from({ length: 1 + 1 + 2 * 3 }, () => "GetObject"),
    "ListObjectsV2",
  ]);
});
