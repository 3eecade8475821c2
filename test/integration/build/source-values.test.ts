import { describe, expect, test } from "vitest";
import { builtProgram } from "../../support/build-effect.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");

describe("amounts", () => {
  test("D22 keep their decimal value exactly, whatever the scale of the column", async () => {
    const amounts = [
      "1234.50",
      "0.1",
      "99.990000000000000000000000",
      "1e3",
      "0.00000000012",
      "123456789012345.6",
    ];
    await bench.insertPrograms("acme", "p");
    for (const [at, amount] of amounts.entries()) {
      await bench.insertRows("room_prices", "acme", "p", { occupancy: at + 1, amount });
    }
    await builtProgram(bench, "p");
    expect((await bench.published("acme")).bytes.get("p")).toContain(
      '"rooms":[{"occupancy":1,"amount":1234.5},{"occupancy":2,"amount":0.1},{"occupancy":3,"amount":99.99},' +
        '{"occupancy":4,"amount":1000},{"occupancy":5,"amount":1.2e-10},{"occupancy":6,"amount":123456789012345.6}]',
    );
  });
});

describe("children", () => {
  test("D39 stand by position, NULL last, ties by their content, whatever the order of the rows", async () => {
    await bench.insertPrograms("acme", "p");
    const rows = [
      { position: null, title: "no position" },
      { position: 10, title: "ten" },
      { position: 2, title: "two b" },
      { position: 2, title: "two a" },
      { position: -1, title: "first" },
      { position: 2147483647, title: "far" },
    ];
    await bench.insertRows("itinerary", "acme", "p", ...rows);
    const titles = async () =>
      (await builtProgram(bench, "p")).detail.content?.itinerary.map(({ title }) => title);
    const expected = ["first", "two a", "two b", "ten", "far", "no position"];
    expect(await titles()).toEqual(expected);
    await bench.source.query("DELETE FROM partner_source.itinerary");
    await bench.insertRows("itinerary", "acme", "p", ...rows.reverse());
    expect(await titles()).toEqual(expected);
    expect((await bench.build()).report.outcome).toBe("unchanged");
  });

  test("enrollments are counted by role and status", async () => {
    await bench.insertPrograms("acme", { program_id: "p", capacity_total: 300 });
    await bench.source.query(`
      INSERT INTO partner_source.enrollments (tenant_id, program_id, status, role)
      SELECT 'acme', 'p', status, role
        FROM (VALUES ('confirmed', 'passenger', 250), ('Cancelled', 'passenger', 40), ('confirmed', 'staff', 7),
                     (NULL, 'passenger', 3), ('odd', NULL, 2), ('no_show', NULL, 5)) AS counts (status, role, n),
             generate_series(1, n)`);
    const { detail, warnings } = await builtProgram(bench, "p");
    expect(detail.capacity).toEqual({ total: 300, used: 255, remaining: 45 });
    expect(warnings).toEqual(["enrollment_role_unknown capacity.used = null"]);
  });

  test("D36 of programs that don't exist, or without an id, are passed over with a warning", async () => {
    await bench.insertPrograms("acme", "p");
    await bench.source.insert(
      "faq",
      { tenant_id: "acme", program_id: "ghost", question: "Q", answer: "A" },
      { tenant_id: "acme", program_id: null, question: "Q", answer: "A" },
      { tenant_id: null, program_id: "p", question: "Q", answer: "A" },
    );
    const { report } = await bench.build();
    expect(tenantRun(report, "acme").problems).toMatchObject([
      {
        code: "rows_of_unknown_program",
        severity: "warning",
        programId: "ghost",
        value: expect.stringMatching(/^faq: 2 .* ghost$/),
      },
    ]);
    expect((await bench.published("acme")).details.get("p")?.content).toBeNull();
  });
});
