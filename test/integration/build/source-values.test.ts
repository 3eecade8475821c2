import { beforeEach, describe, expect, test } from "vitest";
import { builtProgram } from "../../support/build-effect.ts";
import { tenantRun, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();

beforeEach(async () => {
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme Tours" });
});

describe("D20 dates", () => {
  test.each(["infinity", "-infinity", "0044-03-15 BC", "10000-01-01", "5874897-12-31"])(
    "beyond the years 1 to 9999 (%s) are null with a warning",
    async (day) => {
      await bench.insertPrograms("acme", { program_id: "p", departure_date: day, return_date: "2027-01-01" });
      await bench.insertRows("hotel_stays", "acme", "p", { name: "Inn", check_in: day });
      const { detail, warnings } = await builtProgram(bench, "p");
      expect(detail).toMatchObject({ departureDate: null, returnDate: "2027-01-01", durationDays: null });
      expect(detail.hotels[0]?.checkIn).toBeNull();
      expect(warnings).toEqual([
        `date_out_of_range departureDate = ${day}`,
        `date_out_of_range hotels[0].checkIn = ${day}`,
      ]);
    },
  );
});

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

  test.each(["Infinity", "9007199254740993", `0.${"0".repeat(16_382)}1`, null])(
    "that JSON can't hold, or that are no price, are dropped with a warning: %s",
    async (amount) => {
      await bench.insertPrograms("acme", { program_id: "p", legacy_price: amount });
      await bench.insertRows(
        "room_prices",
        "acme",
        "p",
        { occupancy: 1, amount },
        { occupancy: null, amount: 5 },
      );
      const { detail, warnings } = await builtProgram(bench, "p");
      expect(detail.prices).toEqual({ startingAmount: null, rooms: [], children: [] });
      expect(warnings.map((warning) => warning.split(" ")[0])).toEqual([
        "room_price_dropped",
        "room_price_dropped",
        ...(amount === null ? [] : ["legacy_price_dropped"]),
      ]);
    },
  );
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
