import fc from "fast-check";
import { expect, test } from "vitest";
import type { SourceReport } from "../../../cli/operate/source-check/check-source.ts";
import { problemRules } from "../../../cli/publish/public-program/problem.ts";
import { type ColumnKind, contractViews } from "../../../cli/publish/source/contract.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { sized } from "../../support/quick-pass.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench();

/** What PostgreSQL takes as text is anything but U+0000; half a pair is replaced before it gets there. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map((drawn) => drawn.replaceAll("\0", "\u0001")),
  fc.constantFrom(
    ...[
      "",
      " ",
      "\u001b[2J",
      "\u202e",
      "\ufeff",
      "\ud800",
      "\u{10ffff}",
      "\r\n\t",
      "{}",
      '{"a":1}',
      "NULL",
      "\\N",
      "\\u0000",
    ],
    ...["https://a.example", "https://u:p@a.example", "https://[::1", "active", "passenger", "lead_guide"],
  ),
  fc.integer({ min: 500, max: 5000 }).map((length) => "\u0001".repeat(length)),
  fc.integer({ min: 500, max: 5000 }).map((length) => "\u{1f600}".repeat(length)),
);
const hostileValue: Readonly<Record<ColumnKind, fc.Arbitrary<string>>> = {
  text,
  int: fc.oneof(
    fc.integer({ min: -2147483648, max: 2147483647 }).map(String),
    fc.constantFrom("0", "1", "2"),
  ),
  numeric: fc.oneof(
    fc.constantFrom("NaN", "Infinity", "-Infinity", "0", "-0.00", "1e1000", "1e-1000", "9".repeat(3000)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number.toFixed(5)),
  ),
  date: fc.constantFrom(
    ...["infinity", "-infinity", "4713-01-01 BC", "0001-01-01", "0001-12-31 BC", "9999-12-31", "10000-01-01"],
    ...["5874897-12-31", "2027-02-28", "2028-02-29"],
  ),
  "text[]": fc.oneof(
    fc.constantFrom("{}", "{NULL,NULL}", "{{a,b},{c,d}}", "[5:6]={a,b}", '{"",NULL," "}'),
    fc.integer({ min: 1, max: 400 }).map((length) => `{${"x,".repeat(length)}x}`),
  ),
};

type HostileRow = Readonly<Record<string, string | null>>;

/** Rows of one view, most of them of the programs `a` to `c` of the tenant `hostile`. */
function rowsOf(columns: Readonly<Record<string, ColumnKind>>): fc.Arbitrary<HostileRow[]> {
  const fields = Object.entries(columns)
    .filter(([name]) => name !== "tenant_id" && name !== "program_id")
    .map(([name, kind]) => [name, fc.option(hostileValue[kind], { freq: 3 })] as const);
  const id = fc.oneof({ weight: 6, arbitrary: fc.constantFrom("a", "b", "c") }, fc.option(text));
  const row = fc.record({ ...Object.fromEntries(fields), program_id: id });
  return fc.array(row as fc.Arbitrary<HostileRow>, { maxLength: 6 });
}

const views = contractViews.filter(({ name }) => name !== "tenants");
const hostileSource = fc.tuple(...views.map(({ columns }) => rowsOf(columns)));
const limits = { MAX_VALUE_KB: "2", MAX_PROGRAM_KB: "8" };

/**
 * Of rows that belong to no program a build counts the views, and a check the programs; only a build has a
 * snapshot.
 */
const countedOtherwise: ReadonlySet<string> = new Set(["rows_of_unknown_program", "snapshot_empty"]);

function foundByCode({ problems }: SourceReport): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { code, count } of problems) {
    if (code in problemRules && !countedOtherwise.has(code)) found[code] = (found[code] ?? 0) + (count ?? 0);
  }
  return found;
}

function sumOfCounts({ tenants }: RunReport): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [code, count] of tenants.flatMap(({ problemCounts }) => Object.entries(problemCounts))) {
    if (!countedOtherwise.has(code)) found[code] = (found[code] ?? 0) + count;
  }
  return found;
}

test("whatever the rows, a build ends well, leaves the neighbour alone and accounts for every program", async () => {
  await fc.assert(
    fc.asyncProperty(hostileSource, fc.boolean(), async (source, isTight) => {
      await bench.reset();
      await bench.source.insert("tenants", { tenant_id: "hostile" }, { tenant_id: "neighbour" });
      await bench.insertPrograms("neighbour", "n");
      for (const [at, rows] of source.entries()) {
        for (const row of rows) {
          // Most of them would end as an unknown state, and nothing else be looked at.
          const state = at === 0 && row.lifecycle_state !== null ? { lifecycle_state: "active" } : {};
          await bench.source.insert(views[at]?.name ?? "", { ...row, ...state, tenant_id: "hostile" });
        }
      }
      const env = isTight ? limits : {};
      const { status, report, stderr } = await bench.build(["--on-invalid", "skip"], { env });
      expect(status).toBe(0);
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(tenantRun(report, "neighbour")).toMatchObject({ outcome: "published", problems: [] });
      const {
        outcome,
        failure,
        counts,
        leftOut = [],
        problems,
        problemsOmitted,
      } = tenantRun(report, "hostile");
      expect({ outcome, failure }).toEqual({ outcome: "published", failure: null });
      // Rows of one id are one program, unless some of them are to be published and others are not.
      const ids = (source[0] ?? []).map(({ program_id: id }, at) => id ?? at);
      const counted = counts.programs + counts.invalid + counts.notPublishable;
      expect(counted).toBeGreaterThanOrEqual(new Set(ids).size);
      expect(counted).toBeLessThanOrEqual(ids.length);
      expect(leftOut).toHaveLength(counts.invalid);
      expect(new Set(leftOut.map((id, at) => id ?? at)).size).toBe(counts.invalid);
      const errors = problems.filter(({ severity }) => severity === "error").length;
      if (problemsOmitted === 0) expect(errors).toBeGreaterThanOrEqual(counts.invalid);
      if (new Set(ids).size === ids.length) {
        expect(counted).toBe(ids.length);
        if (problemsOmitted === 0) expect(errors).toBe(counts.invalid);
      }
      expect((await bench.published("hostile")).details.size).toBe(counts.programs);
      const check = await bench.run(["source", "check", "--json"], { env });
      expect(check.status).toBe(report.totals.errors > 0 ? 1 : 0);
      expect(foundByCode(JSON.parse(check.stdout))).toEqual(sumOfCounts(report));
    }),
    { numRuns: sized({ whole: 25, quick: 5 }), seed: 20_27 },
  );
});
