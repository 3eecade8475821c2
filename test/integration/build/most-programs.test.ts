import { beforeEach, describe, expect, test } from "vitest";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");

/** 30 programs of the coming year, with dates, seats taken, a currency and a price each; all live. */
beforeEach(async () => {
  await bench.source.query(
    `INSERT INTO partner_source.programs
       (tenant_id, program_id, name, lifecycle_state, departure_date, return_date, capacity_total, currency)
     SELECT 'acme', 'p' || n, 'Tour ' || n, 'active', current_date + 30 + n, current_date + 37 + n, 40, 'EUR'
       FROM generate_series(10, 39) AS n`,
  );
  await bench.source.query(
    `INSERT INTO partner_source.room_prices (tenant_id, program_id, occupancy, amount)
     SELECT tenant_id, program_id, 2, 1000 + substr(program_id, 2)::int FROM partner_source.programs`,
  );
  expect((await bench.build()).status).toBe(0);
});

/** What the build says of the tenant: the exit status, then a line for each finding. */
async function said(args: readonly string[] = []): Promise<readonly (string | number)[]> {
  const { status, report } = await bench.build(args);
  const { outcome, failure, problems } = tenantRun(report, "acme");
  const found = problems.map(({ code, field, value }) => `${code} ${field}: ${value}`);
  return [status, [outcome, failure?.code].join(" ").trim(), ...found];
}

const day = (daysFromToday: number): string =>
  new Date(Date.now() + daysFromToday * 86_400_000).toISOString().slice(0, 10);

async function price(expression: string): Promise<void> {
  await bench.source.query(`UPDATE partner_source.room_prices SET amount = ${expression}`);
}

describe("P225 what changes in most programs is told, a line a field", () => {
  test("all dates a day early", async () => {
    await bench.source.update("departure_date = departure_date - 1, return_date = return_date - 1");
    expect(await said()).toEqual([
      0,
      "published",
      `mostly_changed departureDate: 30 of 30 program(s), all by -1 day; p10: ${day(40)} → ${day(39)}`,
      `mostly_changed returnDate: 30 of 30 program(s), all by -1 day; p10: ${day(47)} → ${day(46)}`,
    ]);
    // It is no concern of anybody's day.
    const status = await bench.run(["snapshot", "status", "--json"]);
    expect(JSON.parse(status.stdout).tenants[0].concerns).toEqual([]);
    expect(await said()).toEqual([0, "unchanged"]);
  });

  test("one currency for all, in a build that reads everything, too", async () => {
    await bench.source.update("currency = 'USD'");
    expect(await said(["--rewrite", "--dry-run"])).toEqual([
      0,
      "would-publish",
      "mostly_changed currency: 30 of 30 program(s); p10: EUR → USD",
    ]);
    expect(await said()).toEqual([
      0,
      "published",
      "mostly_changed currency: 30 of 30 program(s); p10: EUR → USD",
    ]);
  });

  test("seats left in place of capacity, names, and prices from a tenth on", async () => {
    await bench.source.update("capacity_total = 40 - substr(program_id, 2)::int");
    await price("CASE WHEN program_id < 'p30' THEN amount * 1.1 ELSE amount * 1.05 END");
    await bench.source.update("name = 'Our ' || name", "p10");
    expect(await said()).toEqual([
      0,
      "published",
      "mostly_changed capacity.total: 30 of 30 program(s); p10: 40 → 30",
      "mostly_changed prices.startingAmount: 20 of 30 program(s), all by the factor 1.1; p10: 1010 → 1111",
    ]);
  });

  test("less than most says nothing", async () => {
    await bench.source.query(
      "UPDATE partner_source.programs SET currency = 'USD', name = 'New' WHERE program_id < 'p25'",
    );
    expect(await said()).toEqual([0, "published"]);
  });
});

describe("P226 amounts of another scale", () => {
  test("are refused, withdrawals go, and the override publishes them and says so", async () => {
    await price("amount * 100");
    await bench.source.update("lifecycle_state = 'cancelled'", "p11");
    const { status, report } = await bench.build();
    const { failure, problems } = tenantRun(report, "acme");
    expect([status, failure?.code, problems]).toEqual([4, "scale_guard", []]);
    expect(failure?.message).toMatch(/29 of 29 .* 100 times .* p10: 1010 EUR → 101000 EUR.*--allow-scaled/);
    expect((await bench.published("acme")).details.size).toBe(29);
    expect(await said(["--dry-run"])).toEqual([4, "refused scale_guard"]);
    expect(await said(["--allow-scaled"])).toEqual([
      0,
      "published",
      "mostly_changed prices.startingAmount: 29 of 29 program(s), all by the factor 100; p10: 1010 → 101000",
    ]);
    // And back again.
    await price("amount / 100");
    expect(await said()).toEqual([4, "refused scale_guard"]);
    expect(tenantRun((await bench.build()).report, "acme").failure?.message).toMatch(/1\/100 of/);
    expect((await bench.build(["--allow-scaled", "--reason", "cents"])).status).toBe(0);
    expect((await bench.run(["audit", "list"])).stdout).toContain("--allow-scaled");
  });

  test("most is of the programs that have an amount before and after; a build that reads everything knows as much", async () => {
    await bench.source.query("DELETE FROM partner_source.room_prices WHERE program_id >= 'p20'");
    expect((await bench.build(["--allow-emptied"])).status).toBe(0);
    await bench.source.query(
      "UPDATE partner_source.room_prices SET amount = amount * 100 WHERE program_id < 'p16'",
    );
    expect(await said()).toEqual([4, "refused scale_guard"]);
    expect(await said(["--rewrite"])).toEqual([4, "refused scale_guard"]);
    await bench.source.query(
      "UPDATE partner_source.room_prices SET amount = amount / 100 WHERE program_id = 'p15'",
    );
    expect(await said()).toEqual([0, "published"]);
  });

  test("another currency brings its amounts", async () => {
    await bench.source.update("currency = 'IDR'");
    await price("amount * 18000");
    expect((await said()).slice(0, 2)).toEqual([0, "published"]);
  });
});

describe("P227 most programs withdrawn", () => {
  const reversed = "lifecycle_state = CASE WHEN program_id < 'p35' THEN 'draft' ELSE 'active' END";

  test("go, and the run says so first, ends with 3, and the tenant is in trouble for a day", async () => {
    await bench.source.update(reversed);
    await bench.insertPrograms("acme", "new-1", "new-2");
    const text = await bench.run(["snapshot", "build", "--dry-run"]);
    expect([text.status, text.stdout]).toEqual([
      3,
      expect.stringMatching(
        /\n1 finding\n {2}warning mostly_withdrawn \(1\): acme = 25 of 30 program\(s\).*; 2 added/,
      ),
    ]);
    expect(await said()).toEqual([
      3,
      "published",
      "mostly_withdrawn null: 25 of 30 program(s) withdrawn; 2 added",
    ]);
    expect(await said()).toEqual([0, "unchanged"]);
    const status = await bench.run(["snapshot", "status"]);
    expect(status.stdout).toContain("1 in trouble");
    expect(status.stdout).toMatch(/withdrew 25 of 30 programs/);
    const later = { now: new Date(Date.now() + 25 * 3_600_000) };
    expect((await bench.run(["snapshot", "status"], later)).stdout).not.toContain("withdrew 25");
  });

  test("also on hold, and where a view fails", async () => {
    expect((await bench.run(["snapshot", "rollback", "--tenant", "acme"])).status).not.toBe(0);
    await bench.source.update("name = 'New'", "p39");
    await bench.build();
    expect((await bench.run(["snapshot", "rollback", "--tenant", "acme"])).status).toBe(0);
    await bench.source.update(reversed);
    const told = "mostly_withdrawn null: 25 of 30 program(s) withdrawn; 0 added";
    expect(await said()).toEqual([3, "held held", told]);
    expect(await said()).toEqual([0, "held held"]);
  });

  test("past ones aside, and less than most say nothing", async () => {
    await bench.source.query(
      "UPDATE partner_source.programs SET departure_date = current_date - 9, return_date = current_date - 2 WHERE program_id < 'p35'",
    );
    await bench.build();
    await bench.source.update(reversed);
    expect(await said()).toEqual([0, "published"]);
    expect(tenantRun((await bench.build()).report, "acme").livePrograms).toBe(5);
  });
});
