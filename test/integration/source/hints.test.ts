import { beforeEach, describe, expect, test } from "vitest";
import { hintRules } from "../../../cli/operate/source-check/hint-rules.ts";
import type { PlainRow } from "../../support/plain-source.ts";
import { freshWorkbench } from "../../support/workbench.ts";

const bench = freshWorkbench("acme", "beta");

beforeEach(async () => {
  await bench.insertPrograms("acme", priced("a"));
  await bench.insertPrograms("beta", priced("b"));
  await bench.insertRows("room_prices", "acme", "a", { occupancy: 2, amount: 100 });
  await bench.insertRows("room_prices", "beta", "b", { occupancy: 2, amount: 200 });
  await bench.insertRows("enrollments", "acme", "a", { status: "confirmed", role: "passenger" });
});

const now = new Date("2026-11-21T12:00:00.000Z");

function priced(program_id: string, more: PlainRow = {}): PlainRow {
  return { program_id, currency: "EUR", departure_date: "2027-05-01", return_date: "2027-05-08", ...more };
}

interface Hint {
  readonly code: string;
  readonly count: number;
  readonly examples: readonly { readonly value: string | null; readonly count?: number }[];
}

/** The hints of a check that ends well, each as `code view.column: value (count), ...`. */
async function hinted(env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { status, stdout } = await bench.run(["source", "check", "--json"], { now, env });
  expect(status).toBe(0);
  const found: readonly (Hint & Readonly<Record<string, unknown>>)[] = JSON.parse(stdout).problems;
  return found
    .filter(({ severity }) => severity === "hint")
    .map(({ code, view, column, examples }) => {
      const values = examples.map(
        ({ value, count }) => `${value}${count === undefined ? "" : ` (${count})`}`,
      );
      return `${code} ${view}.${column}: ${values.join(", ")}`;
    });
}

/**
 * So many programs of acme alone that differ in all but their currency and the number of seats, each with a
 * price.
 */
async function many(count: number): Promise<void> {
  await bench.source.query("DELETE FROM partner_source.programs WHERE tenant_id = 'acme'");
  for (const table of ["room_prices", "enrollments"]) {
    await bench.source.query(`DELETE FROM partner_source.${table} WHERE tenant_id = 'acme'`);
  }
  await bench.source.query(
    `WITH made AS (INSERT INTO partner_source.programs
       (tenant_id, program_id, name, description, lifecycle_state, capacity_total, currency, departure_date, return_date)
       SELECT 'acme', 'm' || n, 'Tour ' || n, 'Text ' || n, 'active', 10, 'EUR', date '2027-05-01' + n, '2027-09-01'
         FROM generate_series(1, $1::int) AS n RETURNING program_id)
     INSERT INTO partner_source.room_prices SELECT 'acme', program_id, 2, 100 FROM made`,
    [count],
  );
}

type Rows = readonly (readonly [view: string, row: PlainRow])[];

const cases: readonly (readonly [what: string, rows: Rows, hint: string])[] = [
  [
    "dates that are past",
    [
      ["programs", priced("p", { departure_date: "2025-08-01", return_date: "2025-08-09" })],
      ["programs", priced("q", { departure_date: "2025-08-09", return_date: null })],
      ["programs", priced("on-its-way", { departure_date: "2026-11-18", return_date: "2026-11-20" })],
    ],
    "trip_past programs.return_date: 2025-08-09 (2)",
  ],
  [
    "default dates and dates far ahead",
    [
      ["programs", priced("p", { departure_date: "1970-01-01", return_date: null })],
      ["programs", priced("q", { departure_date: "2099-12-31", return_date: null })],
    ],
    "departure_far programs.departure_date: 1970-01-01 (1), 2099-12-31 (1)",
  ],
  [
    "an end far ahead",
    [["programs", priced("p", { return_date: "2099-12-31" })]],
    "departure_far programs.return_date: 2099-12-31 (1)",
  ],
  [
    "prices without a currency",
    [
      ["programs", priced("p", { currency: null, legacy_price: 5 })],
      ["programs", priced("unpriced", { currency: null })],
    ],
    "currency_missing programs.currency: null (1)",
  ],
  [
    "markup in a list, and an entity",
    [
      [
        "programs",
        priced("p", {
          included: ["Bus", "<b class='x'>Guide</b>"],
          visits: ["Tom & Jerry; <3 <ann@a.example>"],
        }),
      ],
      ["programs", priced("q", { included: ["Caf&eacute;"] })],
    ],
    "markup_in_text programs.included: <b> (1), &eacute; (1)",
  ],
  [
    "markup in a child view",
    [["faq", { program_id: "a", question: "?", answer: "No<br/>." }]],
    "markup_in_text faq.answer: <br> (1)",
  ],
  [
    "entities, and ampersands that only look like one",
    [
      ["programs", priced("p", { description: "Bed &Breakfast; Tom&Jerry; Q&A;" })],
      ["programs", priced("q", { description: "&Uuml;ber&nbsp;all &#8211; &#x27;s" })],
    ],
    "markup_in_text programs.description: &Uuml; (1)",
  ],
  [
    "texts that were encoded twice, and Portuguese",
    [
      ["programs", priced("p", { description: "Le CafÃ© du Port", included: ["itâ€™s"] })],
      ["programs", priced("q", { description: "IRMÃ: SÃO JOÃO «AMANHû, Ângela, Ä Ö Ü, 5 Å" })],
      ["programs", priced("r", { description: "FÃ¼r alle" })],
    ],
    "text_garbled programs.description: CafÃ© (1), FÃ¼r (1) | text_garbled programs.included: itâ€™s (1)",
  ],
  [
    "names that say that nobody is to book, and names that only sound so",
    [
      ["programs", priced("p", { name: "TEST do not book" })],
      ["programs", priced("q", { name: "Dummy" })],
      ["programs", priced("r", { name: "test 2" })],
      ["programs", priced("s", { name: "Sydney TEST" })],
      ["programs", priced("t", { name: "Test match tour" })],
      ["programs", priced("u", { name: "THE TEST MATCH TOUR" })],
      ["programs", priced("v", { name: "The greatest dummyland" })],
      ["programs", priced("w", { name: "Testaccio on foot" })],
    ],
    "test_program programs.name: TEST do not book (1), Dummy (1), test 2 (1), Sydney TEST (1)",
  ],
  [
    "a program twice under two ids",
    [
      ["programs", priced("p", { name: "Fjords", description: "Sea" })],
      ["programs", priced("q", { name: "Fjords", description: "Sea" })],
      ["programs", priced("later", { name: "Fjords", description: "Sea", departure_date: "2027-05-02" })],
      ["programs", priced("other", { name: "Fjords", description: "Land" })],
      ["programs", priced("draft", { name: "Fjords", description: "Sea", lifecycle_state: "draft" })],
    ],
    "program_twice programs.name: as p (1)",
  ],
  [
    "two prices for one occupancy",
    [["room_prices", { program_id: "a", occupancy: 2, amount: 150 }]],
    "price_twice room_prices.occupancy: occupancy 2, different amounts (1)",
  ],
  [
    "two prices for one age band",
    [
      ["child_prices", { program_id: "a", min_age: 2, max_age: 6, amount: 50 }],
      ["child_prices", { program_id: "a", min_age: 2, max_age: 6, amount: 50 }],
    ],
    "price_twice child_prices.min_age: ages 2 to 6, the same amount (1)",
  ],
  [
    "three statuses, all of which take a place",
    [
      ["enrollments", { program_id: "a", status: "Dibatalkan", role: "passenger" }],
      ["enrollments", { program_id: "a", status: "menunggu", role: "passenger" }],
      ["enrollments", { program_id: "a", status: "storniert", role: "staff" }],
    ],
    "status_takes_place enrollments.status: Dibatalkan (1), confirmed (1), menunggu (1)",
  ],
];

describe("P191 what is legal and probably wrong is a hint", () => {
  test("sound rows have none", async () => expect(await hinted()).toEqual([]));

  test.each(cases)("%s", async (_, rows, hint) => {
    for (const [view, { program_id, ...row }] of rows) {
      if (view === "programs") await bench.insertPrograms("acme", { program_id, ...row } as PlainRow);
      else await bench.insertRows(view, "acme", String(program_id), row);
    }
    expect(await hinted()).toEqual(hint.split(" | "));
    await bench.source.query(
      "UPDATE partner_source.programs SET lifecycle_state = 'draft' WHERE tenant_id = 'acme'",
    );
    await bench.source.query("DELETE FROM partner_source.enrollments");
    expect((await hinted()).join()).not.toContain(hint);
  });

  test.each([
    ["one name", "name = 'Tour'", 'programs.name: 20 programs, all "Tour"'],
    ["one description", "description = 'Soon'", 'programs.description: 20 programs, all "Soon"'],
    ["capacity 0", "capacity_total = 0", "programs.capacity_total: 20 programs, all 0"],
    ["no departure", "departure_date = NULL", "programs.departure_date: 20 programs, all null"],
    [
      "one departure",
      "departure_date = '2027-05-07'",
      'programs.departure_date: 20 programs, all "2027-05-07"',
    ],
    ["the text NULL", "guide_name = 'NULL'", 'programs.guide_name: 20 programs, all "NULL"'],
  ])("D136 %s in all of 20 programs", async (_, set, hint) => {
    await many(20);
    expect(await hinted()).toEqual([]);
    await bench.source.query(`UPDATE partner_source.programs SET ${set} WHERE tenant_id = 'acme'`);
    expect(await hinted()).toEqual([`value_everywhere ${hint}`]);
    await bench.source.query(
      "UPDATE partner_source.programs SET lifecycle_state = 'draft' WHERE program_id = 'm1'",
    );
    expect(await hinted()).toEqual([]);
  });

  test("D136 a tenant without any price, while others have some", async () => {
    await bench.source.query("DELETE FROM partner_source.room_prices WHERE tenant_id = 'beta'");
    expect(await hinted()).toEqual(["price_missing room_prices.amount: 1 program(s), none with a price"]);
    await bench.source.query("DELETE FROM partner_source.room_prices");
    expect(await hinted()).toEqual([]);
  });

  test("D136 more places taken than there are, in more than a tenth of a tenant's programs", async () => {
    await many(29);
    const overbook = (ids: string) =>
      bench.source.query(
        `UPDATE partner_source.programs SET capacity_total = 1 WHERE program_id IN (${ids})`,
      );
    await bench.source.query(`
      INSERT INTO partner_source.enrollments SELECT 'acme', 'm' || n, 'paid', 'passenger'
        FROM generate_series(1, 4) AS n, generate_series(1, 2)`);
    await overbook("'m1', 'm2'");
    expect(await hinted()).toEqual([]);
    await overbook("'m3'");
    expect(await hinted()).toEqual(["overbooked enrollments.program_id: 3 of 29 programs"]);
    await bench.insertPrograms("acme", "x");
    expect(await hinted()).toEqual([]);
  });

  test("a status that the setting names takes none", async () => {
    for (const status of ["storniert", "bezahlt"]) {
      await bench.insertRows("enrollments", "acme", "a", { status, role: "passenger" });
    }
    const { stdout } = await bench.run(["source", "check"], { now });
    expect(stdout).toMatch(/^storniert +1 +yes$/m);
    expect(stdout).toMatch(/keeps the contract, with 0 warnings and 1 hint \(2 tenants, 2 programs\)\.\n$/);
    expect(await hinted({ TERMINAL_ENROLLMENT_STATUSES: "no_show,STORNIERT" })).toEqual([]);
  });

  test("a question that fails is a hint, once, and no error", async () => {
    await bench.source.query("ALTER TABLE partner_source.enrollments RENAME TO real_enrollments");
    // Reads well until somebody looks at the statuses of all tenants.
    await bench.source.query(`
      CREATE VIEW partner_source.enrollments AS
      SELECT tenant_id, program_id, role,
             CASE WHEN tenant_id = 'nobody' THEN (1 / (length(tenant_id) - 6))::text ELSE status END AS status
        FROM (SELECT tenant_id, program_id, role, status FROM partner_source.real_enrollments
              UNION ALL SELECT 'nobody', 'p', 'passenger', 'paid') AS all_enrollments`);
    const found = JSON.parse((await bench.run(["source", "check", "--json"], { now })).stdout).problems;
    await bench.source.query("DROP VIEW partner_source.enrollments");
    await bench.source.query("ALTER TABLE partner_source.real_enrollments RENAME TO enrollments");
    const hints = found.filter(({ severity }: Record<string, unknown>) => severity === "hint");
    expect(hints).toMatchObject([
      { code: "hints_unasked", count: 1, examples: [{ value: "status_takes_place: division by zero" }] },
    ]);
  });
});

test("every hint has its case here", () => {
  const ofMany = ["value_everywhere", "price_missing", "overbooked"];
  const shown = [...cases.map(([, , hint]) => hint.split(" ")[0]), ...ofMany, "hints_unasked"];
  expect([...new Set(shown)].sort()).toEqual(Object.keys(hintRules).sort());
});
