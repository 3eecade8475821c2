import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BuildResult, freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme", "beta");

/** Two companies with programs of their own, both live. */
beforeEach(async () => {
  await insert("acme", "a", 8);
  await insert("beta", "b", 8);
  expect((await bench.build()).status).toBe(0);
});

async function insert(tenantId: string, prefix: string, count: number): Promise<void> {
  await bench.source.query(
    `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
     SELECT $1, $2 || n, 'Tour ' || n, 'active', 10 FROM generate_series(1, $3::int) AS n`,
    [tenantId, prefix, count],
  );
}

/** What a join does that forgets the tenant: each company gets all programs. */
async function joinWithoutKey(): Promise<void> {
  await insert("acme", "b", 8);
  await insert("beta", "a", 8);
}

function outcomes({ report }: BuildResult): readonly string[] {
  return report.tenants.map(
    ({ tenantId, outcome, failure }) => `${tenantId} ${outcome} ${failure?.code ?? ""}`,
  );
}

async function servedBy(tenantId: string): Promise<readonly string[]> {
  return [...(await bench.published(tenantId)).details.keys()].sort();
}

test("P144 a join that forgets the tenant is refused for all of them, by whatever command, and withdrawals go", async () => {
  await joinWithoutKey();
  await bench.source.update("lifecycle_state = 'cancelled'", "a1");
  const all = await bench.build();
  expect(all.status).toBe(4);
  expect(outcomes(all)).toEqual(["acme refused shared_guard", "beta refused shared_guard"]);
  expect(tenantRun(all.report, "acme").failure?.message).toMatch(/: 8 of 8 .* of beta\b/);
  expect(await servedBy("acme")).toEqual(["a2", "a3", "a4", "a5", "a6", "a7", "a8"]);
  expect(await servedBy("beta")).toHaveLength(8);
  const one = await bench.build(["--tenant", "beta"]);
  expect([one.status, ...outcomes(one)]).toEqual([4, "beta refused shared_guard"]);
  const dry = await bench.build(["--tenant", "beta", "--dry-run"]);
  expect([dry.status, ...outcomes(dry)]).toEqual([4, "beta refused shared_guard"]);
});

test("P144 under --on-invalid fail a faulty program is told first, and then the guard; withdrawals go with both", async () => {
  await insert("acme", "b", 8);
  await bench.source.query(
    "UPDATE partner_source.programs SET name = ' ' WHERE tenant_id = 'acme' AND program_id = 'a2'",
  );
  const withdraw = (id: string): Promise<void> => bench.source.update("lifecycle_state = 'ended'", id);
  await withdraw("a1");
  const faulty = await bench.build(["--on-invalid", "fail", "--tenant", "acme"]);
  expect([faulty.status, ...outcomes(faulty)]).toEqual([1, "acme failed invalid_program"]);
  await bench.source.update("name = 'Tour 2'", "a2");
  await withdraw("a3");
  const refused = await bench.build(["--on-invalid", "fail", "--tenant", "acme"]);
  expect([refused.status, ...outcomes(refused)]).toEqual([4, "acme refused shared_guard"]);
  expect(await servedBy("acme")).toEqual(["a2", "a4", "a5", "a6", "a7", "a8"]);
  expect((await bench.build(["--on-invalid", "fail", "--allow-shared"])).status).toBe(0);
});

test("P144 columns that depend on the tenant make no other programs of them", async () => {
  await joinWithoutKey();
  await bench.source.update(
    "description = 'By ' || tenant_id, capacity_total = length(tenant_id || program_id)",
  );
  expect(outcomes(await bench.build())).toEqual(["acme refused shared_guard", "beta refused shared_guard"]);
});

test("P144 the guard's override publishes, with a warning; so does the setting, for good", async () => {
  await joinWithoutKey();
  const warned = await bench.build(["--tenant", "acme"], { env: { SHARED_PROGRAMS: "warn" } });
  expect(warned.status).toBe(0);
  expect(tenantRun(warned.report, "acme").problems).toMatchObject([
    { severity: "warning", code: "programs_shared", value: expect.stringMatching(/^8 of 8 .* beta$/) },
  ]);
  const allowed = await bench.build(["--allow-shared"]);
  expect([allowed.status, ...outcomes(allowed)]).toEqual([0, "acme unchanged ", "beta published "]);
  expect((await bench.build()).report.outcome).toBe("unchanged");
});

test("P144 few shared programs, fewer than half, or the same ids with other names are no reason to refuse", async () => {
  await insert("acme", "b", 4);
  expect(outcomes(await bench.build())).toEqual(["acme published ", "beta unchanged "]);
  await insert("beta", "a", 8);
  await insert("beta", "new", 8);
  expect(outcomes(await bench.build())).toEqual(["acme unchanged ", "beta published "]);
  await insert("beta", "x", 6);
  await bench.build();
  await insert("acme", "x", 6);
  await bench.source.query(
    "UPDATE partner_source.programs SET name = 'Our ' || name WHERE tenant_id = 'acme' AND program_id ^@ 'x'",
  );
  const { report, status } = await bench.build();
  expect([status, tenantRun(report, "acme").outcome]).toEqual([0, "published"]);
});

test("P144 five shared programs are reason enough, of a tenant that is live and of one that is new", async () => {
  await insert("acme", "b", 5);
  await bench.source.insert("tenants", { tenant_id: "gamma" });
  await insert("gamma", "a", 5);
  const refused = ["acme refused shared_guard", "beta unchanged ", "gamma refused shared_guard"];
  expect(outcomes(await bench.build())).toEqual(refused);
});

test("P144 programs of another tenant that are not offered, or whose tenant is not listed, are nobody's", async () => {
  await insert("acme", "n", 8);
  await insert("beta", "n", 8);
  await insert("gone", "n", 8);
  await bench.source.query(
    "UPDATE partner_source.programs SET lifecycle_state = 'draft' WHERE tenant_id = 'beta'",
  );
  expect(outcomes(await bench.build(["--tenant", "acme"]))).toEqual(["acme published "]);
});

test("P144 all first snapshots of a run that have programs of others are refused, also of each other, and only those", async () => {
  const news = [
    ["delta", "a"],
    ["epsilon", "e"],
    ["zeta", "f"],
    ["eta", "f"],
  ] as const;
  for (const [tenant_id, prefix] of news) {
    await bench.source.insert("tenants", { tenant_id });
    await insert(tenant_id, prefix, 8);
  }
  const { report, status } = await bench.build();
  expect(status).toBe(3);
  const messages = news.map(([tenantId]) => tenantRun(report, tenantId).failure?.message);
  const shared = (others: string) =>
    expect.stringContaining(`8 of 8 added program(s) are those of ${others}.`);
  expect(messages).toEqual([shared("acme"), undefined, shared("eta"), shared("zeta")]);
  expect(tenantRun(report, "epsilon").problems).toEqual([]);
  // Only a tenant that partners have may have a new id.
  expect(messages.map((message) => message?.includes("tenant rename"))).toEqual([
    true,
    undefined,
    false,
    false,
  ]);
  const allowed = await bench.build(["--allow-shared"]);
  expect([allowed.status, allowed.report.totals.tenants.published]).toEqual([0, 3]);
});

test("P144 a tenant is renamed by the steps of the page, which the refusal names, too", async () => {
  await bench.run(["token", "create", "--tenant", "acme"]);
  await bench.source.insert("tenants", { tenant_id: "acme-tours" });
  await insert("acme-tours", "a", 8);
  const refused = await bench.build(["--tenant", "acme-tours"]);
  expect(refused.status).toBe(4);
  expect(tenantRun(refused.report, "acme-tours").failure?.message).toContain(
    "If acme-tours is the new id of acme, build it with --allow-shared, then `tenant rename acme acme-tours`.",
  );
  expect((await bench.build(["--tenant", "acme-tours", "--allow-shared"])).status).toBe(0);
  expect((await bench.run(["tenant", "rename", "acme", "acme-tours"])).status).toBe(0);
  await bench.source.query("DELETE FROM partner_source.tenants WHERE tenant_id = 'acme'");
  expect((await bench.run(["tenant", "remove", "acme", "--purge"])).status).toBe(0);
  const tokens = JSON.parse((await bench.run(["token", "list", "--json"])).stdout);
  expect(tokens.map(({ tenantId }: { readonly tenantId: string }) => tenantId)).toEqual(["acme-tours"]);
  expect((await bench.build()).status).toBe(0);
});

describe("P144 where the rows of another tenant cannot be read", () => {
  beforeEach(async () => {
    await bench.source.query("ALTER TABLE partner_source.programs RENAME TO programs_base");
  });

  afterEach(async () => {
    await bench.source.query(`
      DROP VIEW partner_source.programs;
      ALTER TABLE partner_source.programs_base RENAME TO programs`);
  });

  const failing = `
    CREATE VIEW partner_source.programs AS
      SELECT * FROM partner_source.programs_base WHERE tenant_id = 'acme' OR name::int > 0`;

  async function addToBase(prefix: string): Promise<void> {
    await bench.source.query(
      `INSERT INTO partner_source.programs_base (tenant_id, program_id, name, lifecycle_state, capacity_total)
       SELECT 'acme', $1 || n, 'Tour ' || n, 'active', 10 FROM generate_series(1, 8) AS n`,
      [prefix],
    );
  }

  test("what is its own is published, and the build says what it does not know", async () => {
    await addToBase("n");
    await bench.source.query(failing);
    const { report, status } = await bench.build(["--tenant", "acme"]);
    expect([status, tenantRun(report, "acme").outcome]).toEqual([0, "published"]);
    expect(tenantRun(report, "acme").problemCounts).toEqual({ shared_unknown: 1 });
  });
});
