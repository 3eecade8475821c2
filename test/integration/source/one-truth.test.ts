import { beforeEach, describe, expect, test } from "vitest";
import type { SourceReport } from "../../../cli/operate/source-check/check-source.ts";
import { problemPlace } from "../../../cli/operate/source-check/findings.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import type { PlainRow } from "../../support/plain-source.ts";
import { freshWorkbench } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");

beforeEach(async () => {
  await bench.insertPrograms("acme", "sound");
});

interface Finding {
  readonly code: string;
  readonly tenantId: string | null;
  readonly programId: string | null;
  readonly view: string | null;
  readonly column: string | null;
  readonly value: string | null;
}

/** What a build reports of the tenants' programs. */
function builtFindings({ tenants }: RunReport): readonly Finding[] {
  return tenants.flatMap(({ tenantId, problems }) =>
    problems.map(({ code, programId, field, value }) => {
      const sized = code.endsWith("_too_large") ? /^(\w+)(?:\.(\w+))?:/.exec(value ?? "") : null;
      const place =
        sized === null ? problemPlace(field) : { view: sized[1] ?? null, column: sized[2] ?? null };
      return { code, tenantId, programId, value, ...place };
    }),
  );
}

function checkedFindings({ problems }: SourceReport): readonly Finding[] {
  return problems.flatMap(({ severity, code, view, column, examples }) =>
    severity === "hint" ? [] : examples.map((example) => ({ code, ...example, view, column })),
  );
}

function inOrder(findings: readonly Finding[]): readonly string[] {
  const texts = findings.map(({ code, tenantId, programId, view, column, value }) =>
    JSON.stringify([code, tenantId, programId, view, column, value]),
  );
  return texts.sort();
}

/** The findings of both, which must be the same, as `code view.column of program`. */
async function judged(env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { report } = await bench.build(["--on-invalid", "skip"], { env });
  const check = await bench.run(["source", "check", "--json"], { env });
  const checked = checkedFindings(JSON.parse(check.stdout));
  expect(inOrder(checked)).toEqual(inOrder(builtFindings(report)));
  const hasErrors = report.totals.errors > 0;
  expect(check.status).toBe(hasErrors ? 1 : 0);
  return checked.map(({ code, view, column, programId }) => `${code} ${view}.${column} of ${programId}`);
}

type Rows = readonly (readonly [view: string, row: PlainRow])[];

const rowsAndFindings: readonly (readonly [what: string, rows: Rows, findings: readonly string[]])[] = [
  [
    "a legacy price below 0 that is not needed",
    [
      ["programs", { legacy_price: -5 }],
      ["room_prices", { occupancy: 2, amount: 100 }],
    ],
    [],
  ],
  [
    "a room price of 0 of a draft",
    [
      ["programs", { lifecycle_state: "draft" }],
      ["room_prices", { occupancy: 2, amount: 0 }],
    ],
    [],
  ],
  [
    "a driver whose enrollment is cancelled",
    [
      ["programs", {}],
      ["enrollments", { role: "driver", status: "cancelled" }],
    ],
    [],
  ],
  [
    "a driver whose enrollment stands",
    [
      ["programs", {}],
      ["enrollments", { role: "driver", status: "confirmed" }],
    ],
    ["enrollment_role_unknown enrollments.role of p"],
  ],
  [
    "an array of arrays",
    [["programs", { visits: [["a"], ["b"]] }]],
    ["schema_violation programs.visits of p"],
  ],
  [
    "an error, which leaves no warnings",
    [["programs", { name: " ", currency: "?", cover_url: "x" }]],
    ["program_name_blank programs.name of p"],
  ],
  [
    "children in their order",
    [
      ["programs", {}],
      ["hotel_stays", { position: 2, name: "Inn", check_in: "infinity", star_level: 9 }],
      ["hotel_stays", { position: 1 }],
      ["staff", { position: 1, role: "lead_guide", name: "A" }],
      ["staff", { position: 2, role: "lead_guide", name: "B" }],
      ["staff", { position: 3, role: "teacher", name: "C", gender: "?" }],
      ["staff", { position: 4, role: "cook", name: "D" }],
      ["flights", { position: 1, airline_code: "XY", airline_logo_url: "logo.svg" }],
      ["flights", { position: 2, airline_code: " " }],
      ["itinerary", { position: 1, title: null, description: "Lost" }],
      ["faq", { position: 1, question: "?", answer: " " }],
      ["child_prices", { min_age: 3, max_age: 2, amount: 1 }],
    ],
    [
      "child_price_dropped child_prices.null of p",
      "date_out_of_range hotel_stays.check_in of p",
      "star_level_invalid hotel_stays.star_level of p",
      "stay_empty hotel_stays.null of p",
      "staff_role_unknown staff.role of p",
      "lead_guide_surplus staff.role of p",
      "gender_invalid staff.gender of p",
      "text_missing flights.airline_code of p",
      "url_dropped flights.airline_logo_url of p",
      "text_missing itinerary.title of p",
      "text_missing faq.answer of p",
    ],
  ],
];

describe("`source check` and `snapshot build` find the same", () => {
  test.each(rowsAndFindings)("in %s", async (_, rows, findings) => {
    for (const [view, row] of rows) {
      if (view === "programs") await bench.insertPrograms("acme", { program_id: "p", ...row });
      else await bench.insertRows(view, "acme", "p", row);
    }
    expect(await judged()).toEqual(findings);
  });

  test("in values that are too large, also of a program that is large in several ways", async () => {
    const [kb, long] = [1024, (bytes: number) => "x".repeat(bytes)];
    await bench.insertPrograms("acme", {
      program_id: "p",
      description: long(3 * kb),
      included: [long(4 * kb)],
    });
    await bench.insertPrograms("acme", "q");
    await bench.insertRows("faq", "acme", "q", { question: "?", answer: long(3 * kb) });
    await bench.insertPrograms("acme", "r");
    for (let day = 1; day <= 9; day += 1) {
      await bench.insertRows("itinerary", "acme", "r", { position: day, title: long(kb) });
    }
    expect(await judged({ MAX_VALUE_KB: "2", MAX_PROGRAM_KB: "8" })).toEqual([
      "value_too_large programs.description of p",
      "program_too_large programs.null of r",
      "value_too_large faq.answer of q",
    ]);
  });

  test("in tenants and in rows that belong to nobody", async () => {
    await bench.source.insert("tenants", { tenant_id: "no spaces" }, { tenant_id: "acme" });
    await bench.insertPrograms("ghost", "g-1", "g-2");
    await bench.insertRows("faq", "acme", "gone", { question: "?", answer: "!" });
    const { report } = await bench.build();
    const { problems }: SourceReport = JSON.parse((await bench.run(["source", "check", "--json"])).stdout);
    const built = [...report.problems, ...report.tenants.flatMap((tenant) => tenant.problems)];
    expect(problems.map(({ code }) => code).sort()).toEqual(built.map(({ code }) => code).sort());
    expect(problems.map(({ code, view, column, count }) => [code, view, column, count])).toEqual([
      ["tenant_id_invalid", "tenants", "tenant_id", 1],
      ["tenant_duplicate", "tenants", "tenant_id", 1],
      ["programs_of_unknown_tenant", "programs", "tenant_id", 2],
      ["rows_of_unknown_program", "faq", "program_id", 1],
    ]);
  });
});
