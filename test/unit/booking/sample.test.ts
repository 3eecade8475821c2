import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SampleCell } from "../../../cli/demo/booking/copy-rows.ts";
import { canaryMark, privateCents, privateTextColumns } from "../../../cli/demo/booking/private-columns.ts";
import {
  airlinesTable,
  companyTables,
  sampleAirlines,
} from "../../../cli/demo/booking/sample/company-tables.ts";
import { programTables } from "../../../cli/demo/booking/sample/program-tables.ts";
import { sampleCompanies } from "../../../cli/demo/booking/sample/sample-company.ts";
import {
  type SampleProgram,
  sampleProgram,
  sampleSituations,
} from "../../../cli/demo/booking/sample/sample-program.ts";
import { privateAmountColumns } from "../../support/private-amounts.ts";

const origin = { seed: "1", today: "2027-03-15" };
const companies = sampleCompanies(5, 24);
const programs = companies.flatMap((company) =>
  Array.from({ length: company.programCount }, (_, index) => sampleProgram(origin, company, index)),
);

describe("sample data", () => {
  test("the same seed and date give the same rows, whatever was asked for before", () => {
    const seed = fc.record({
      seed: fc.string(),
      index: fc.nat({ max: 5000 }),
      company: fc.constantFrom(...companies),
    });
    fc.assert(
      fc.property(seed, ({ seed, index, company }) => {
        const first = rowsOf(sampleProgram({ ...origin, seed }, company, index));
        rowsOf(sampleProgram({ ...origin, seed }, company, index + 1));
        expect(rowsOf(sampleProgram({ ...origin, seed }, company, index))).toEqual(first);
      }),
    );
  });

  test("another seed gives other rows", () => {
    const [company] = companies;
    if (company === undefined) throw new Error("no company");
    const first = rowsOf(sampleProgram(origin, company, 0));
    expect(rowsOf(sampleProgram({ ...origin, seed: "2" }, company, 0))).not.toEqual(first);
  });

  test("every company meets every situation and every state of the schema by default", () => {
    for (const company of companies) {
      const own = programs.filter((program) => program.company === company);
      expect(new Set(own.map(({ situation }) => situation))).toEqual(new Set(sampleSituations));
      expect(new Set(own.map(({ state }) => state))).toEqual(
        new Set(["draft", "active", "cancelled", "completed", "archived"]),
      );
    }
  });

  test("ids of programs are unique within each company, and codes of companies in any number", () => {
    for (const company of companies) {
      const codes = programs.filter((program) => program.company === company).map(({ code }) => code);
      expect(new Set(codes).size).toBe(company.programCount);
    }
    expect(new Set(sampleCompanies(2000, 0).map(({ code }) => code)).size).toBe(2000);
  });
});

describe("private columns of sample data", () => {
  const rows = allRows();

  test.each(privateColumns(privateTextColumns))(
    "%s.%s has a canary in every text, and has texts",
    (table, column) => {
      const texts = rows.filter((row) => row.table === table && row.cells[column] !== null);
      expect(texts.length).toBeGreaterThan(0);
      expect(texts.filter((row) => !String(row.cells[column]).includes(canaryMark))).toEqual([]);
    },
  );

  test.each(privateColumns(privateAmountColumns))(
    "%s.%s has amounts that end like no public one",
    (table, column) => {
      const amounts = rows.filter((row) => row.table === table && row.cells[column] !== null);
      expect(amounts.length).toBeGreaterThan(0);
      expect(amounts.filter((row) => !isPrivateAmount(row.cells[column]))).toEqual([]);
    },
  );

  test("public columns have neither a canary nor the cents of private amounts", () => {
    const isPrivate = (table: string, column: string): boolean =>
      [privateTextColumns, privateAmountColumns].some((list) =>
        Object.entries(list).some(([name, columns]) => name === table && columns.includes(column)),
      );
    // Rows that no view shows: pictures for printers, and people who drive.
    const isHidden = (cells: Record<string, unknown>): boolean =>
      cells.kind === "print" || String(cells.display_name).startsWith(canaryMark);
    const leaks = rows
      .filter(({ cells }) => !isHidden(cells))
      .flatMap(({ table, cells }) =>
        Object.entries(cells)
          .filter(([column]) => !isPrivate(table, column))
          .filter(([, value]) => String(value).includes(canaryMark) || isPrivateAmount(value))
          .map(([column]) => `${table}.${column}`),
      );
    expect(leaks).toEqual([]);
  });
});

function rowsOf(program: SampleProgram): readonly (readonly SampleCell[])[] {
  return programTables.flatMap((table) => table.rowsOf(program));
}

interface NamedRow {
  readonly table: string;
  readonly cells: Record<string, SampleCell | undefined>;
}

function allRows(): readonly NamedRow[] {
  return [
    ...named(airlinesTable, [sampleAirlines]),
    ...companyTables.flatMap((table) => named(table, companies)),
    ...programTables.flatMap((table) => named(table, programs)),
  ];
}

function named<Origin>(
  table: {
    name: string;
    columns: readonly string[];
    rowsOf: (origin: Origin) => readonly (readonly SampleCell[])[];
  },
  origins: readonly Origin[],
): readonly NamedRow[] {
  return origins.flatMap((each) =>
    table.rowsOf(each).map((row) => ({
      table: table.name,
      cells: Object.fromEntries(table.columns.map((column, at) => [column, row[at]])),
    })),
  );
}

function privateColumns(
  list: Readonly<Record<string, readonly string[]>>,
): [table: string, column: string][] {
  return Object.entries(list).flatMap(([table, columns]) =>
    columns.map((column): [string, string] => [table, column]),
  );
}

function isPrivateAmount(value: unknown): boolean {
  return /^\d+\.\d\d$/.test(String(value)) && String(value).endsWith(String(privateCents).slice(1));
}
