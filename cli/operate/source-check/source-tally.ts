import { hash } from "node:crypto";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { CheckedProgram } from "../../publish/content/checked-program.ts";
import { shownValue } from "../../publish/public-program/problem.ts";
import type { ProgramSource } from "../../publish/public-program/program-source.ts";
import { sourceViews } from "../../publish/source/contract.ts";
import { fieldOf } from "../../publish/source/program-row.ts";
import type { FindingGroups } from "./findings.ts";
import type { HintCode } from "./hint-rules.ts";
import type { ExpectedPrograms } from "./missing-rows.ts";

/** What the rows of a tenant come to, program by program. */
export class TenantTally implements ExpectedPrograms {
  programs = 0;
  published = 0;
  unpublished = 0;
  readonly states = new Map<string, ExpectedPrograms>();
  /** By currency, the starting amounts of published programs. */
  readonly amounts = new Map<string, number[]>();
  firstDeparture: string | null = null;
  lastDeparture: string | null = null;
  priced = 0;
  soldOut = 0;
  overbooked = 0;
  /** By column of `programs`, the value that all published programs have so far, as JSON. */
  readonly alike = new Map<string, string>();

  addState(state: string | null, outcome: CheckedProgram["kind"]): void {
    const key = shownValue(state)?.toLowerCase() ?? "NULL";
    const ofState = this.states.get(key) ?? { programs: 0, published: 0, unpublished: 0 };
    this.states.set(key, ofState);
    for (const counts of [this, ofState]) {
      counts.programs += 1;
      if (outcome !== "invalid") counts[outcome] += 1;
    }
  }

  add(source: ProgramSource, outcome: CheckedProgram): void {
    this.addState(source.lifecycleState, outcome.kind);
    if (outcome.kind !== "published") return;
    const { capacity, currency, departureDate: day, prices } = outcome.data;
    if (prices.startingAmount !== null) {
      this.priced += 1;
      const amounts = this.amounts.get(currency ?? "none") ?? [];
      amounts.push(prices.startingAmount);
      this.amounts.set(currency ?? "none", amounts);
    }
    if (capacity.used >= capacity.total) this.soldOut += 1;
    if (capacity.used > capacity.total) this.overbooked += 1;
    if (day !== null && day < (this.firstDeparture ?? "9999-99")) this.firstDeparture = day;
    if (day !== null && day > (this.lastDeparture ?? "")) this.lastDeparture = day;
    for (const [column] of sourceViews.programs.columns) {
      const value = JSON.stringify(source[fieldOf(column) as keyof ProgramSource]);
      if (this.published === 1) this.alike.set(column, value);
      else if (this.alike.get(column) !== value) this.alike.delete(column);
    }
  }
}

/** Gives the id of an earlier program with the same name, dates and description, if there is one. */
export function twinFinder(): (source: ProgramSource) => string | null | undefined {
  const known = new Map<string, string | null>();
  return ({ programId, name, departureDate, returnDate, description }) => {
    const key = hash("sha256", JSON.stringify([name, departureDate, returnDate, description]), "base64");
    if (!known.has(key)) known.set(key, programId);
    return known.get(key) === programId ? undefined : known.get(key);
  };
}

type Tallies = ReadonlyMap<TenantId, TenantTally>;
export type SourceTables = ReturnType<typeof sourceTables>;

/** D137: what the rows come to, so that what is wrong of all of them stands out. The largest come first. */
export function sourceTables(tallies: Tallies, rows: ReadonlyMap<string, Readonly<Record<string, number>>>) {
  const all = [...tallies.values()];
  const states = [...new Set(all.flatMap((tally) => [...tally.states.keys()]))].map((state) => {
    const sum = (key: keyof ExpectedPrograms) =>
      all.reduce((sum, { states }) => sum + (states.get(state)?.[key] ?? 0), 0);
    const [programs, published, unpublished] = [sum("programs"), sum("published"), sum("unpublished")];
    return { state, programs, published, unpublished, leftOut: programs - published - unpublished };
  });
  const currencies = [...new Set(all.flatMap(({ amounts }) => [...amounts.keys()]))].map((currency) => {
    const ordered = all.flatMap(({ amounts }) => amounts.get(currency) ?? []).sort((a, b) => a - b);
    const [lowest = 0, median = 0] = [ordered[0], ordered[Math.floor((ordered.length - 1) / 2)]];
    return { currency, programs: ordered.length, lowest, median, highest: ordered.at(-1) ?? 0 };
  });
  const tenants = [...tallies].map(([tenantId, { published, priced, soldOut, ...tally }]) => {
    const { firstDeparture, lastDeparture, states } = tally;
    const active = states.get("active")?.programs ?? 0;
    const facts = { active, firstDeparture, lastDeparture, withoutPrice: published - priced, soldOut };
    return { tenantId, ...facts, rows: rows.get(tenantId) ?? {} };
  });
  return {
    states: states.sort((a, b) => b.programs - a.programs),
    currencies: currencies.sort((a, b) => b.programs - a.programs),
    tenants: tenants.sort((a, b) => b.active - a.active),
  };
}

/** In fewer programs one value may be chance. */
const minAlike = 20;
/** One overbooked program in ten, or one or two, is how tours are sold. */
const minOverbooked = 3;

/** D136: what is legal of each program and probably wrong of all of them together. */
export function addTallyHints(groups: FindingGroups, tallies: Tallies): void {
  const isPriced = [...tallies.values()].some(({ priced }) => priced > 0);
  for (const [tenantId, { programs, published, priced, overbooked, alike }] of tallies) {
    const add = (code: HintCode, view: string, column: string, count: number, value: string) =>
      groups.add(code, { view, column }, { tenantId, programId: null, value }, count);
    for (const [column, value] of published < minAlike ? [] : alike) {
      if (isTelling(column, value)) {
        add("value_everywhere", "programs", column, published, `${published} programs, all ${value}`);
      }
    }
    if (isPriced && published > 0 && priced === 0) {
      add("price_missing", "room_prices", "amount", published, `${published} program(s), none with a price`);
    }
    if (overbooked >= minOverbooked && overbooked * 10 > programs) {
      add("overbooked", "enrollments", "program_id", overbooked, `${overbooked} of ${programs} programs`);
    }
  }
}

/** A currency, a category or a number of seats may well be the same in all programs; these values are not. */
function isTelling(column: string, value: string): boolean {
  if (column === "description") return value !== "null";
  const isZero = column === "capacity_total" && value === "0";
  return isZero || column === "name" || column === "departure_date" || /^"(null|undefined)"$/i.test(value);
}
