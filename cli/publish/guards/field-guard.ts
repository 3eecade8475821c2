import { Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { emptiableFields } from "../../../schemas/generated/public-fields.ts";
import type { DataProblem } from "../public-program/problem.ts";
import { isMost, minPrograms } from "./guards.ts";

/** What the guards compare of a program between the live snapshot and the next one. */
export interface PublicFacts {
  /** A bit for each of `publicParts` that is filled. */
  readonly parts: bigint;
  readonly used: number;
}

/** P140: the paths of the parts of a detail that may be empty. A capacity of 0 places is empty, too. */
export const publicParts: readonly string[] = ["capacity.total", ...emptiableFields];

/** The names on the way to each part, the last part first, as its bit is the highest. */
const waysToParts = publicParts.map((part) => part.replaceAll("[]", "").split(".")).reverse();

/** `program` is the `data` of a detail. */
export function publicFacts(program: object): PublicFacts {
  const bits = waysToParts.map((names) => (isFilled(program, names, 0) ? "1" : "0"));
  const { capacity } = program as { readonly capacity?: { readonly used?: number } };
  return { parts: BigInt(`0b${bits.join("")}`), used: Number(capacity?.used) };
}

/** A part of a list's elements is filled if any element has it. */
function isFilled(value: unknown, names: readonly string[], at: number): boolean {
  if (value === null || value === undefined || value === 0) return false;
  if (Array.isArray(value)) return value.some((element) => isFilled(element, names, at));
  const name = names[at];
  return name === undefined || isFilled((value as Readonly<Record<string, unknown>>)[name], names, at + 1);
}

/** The places in `publicParts` of a set's parts. */
export function placesOf(parts: bigint): readonly number[] {
  return [...parts.toString(2)].reverse().flatMap((bit, place) => (bit === "1" ? [place] : []));
}

/** A part of the public detail that programs have filled in the live snapshot and empty in the next one. */
export interface EmptiedField {
  readonly field: string;
  /** Programs of both snapshots that have the field filled now. */
  readonly filled: number;
  /** How many of those would have it empty. */
  readonly emptied: number;
  readonly programIds: readonly string[];
}

const maxNamed = 3;

/** What the next snapshot changes in the programs that it shares with the live one. */
export class LiveTally {
  readonly #filled = publicParts.map(() => 0);
  readonly #emptied = publicParts.map(() => 0);
  readonly #firstIds: string[][] = publicParts.map(() => []);
  #usedChanged = 0;

  /** Adds a program that the build leaves as it is. */
  addUnchanged(parts: bigint): void {
    for (const place of placesOf(parts)) this.#filled[place] = (this.#filled[place] ?? 0) + 1;
  }

  /** Adds a program that has changed. */
  addChanged(programId: string, live: PublicFacts, next: PublicFacts): void {
    if (live.used !== next.used) this.#usedChanged += 1;
    this.addUnchanged(live.parts);
    for (const place of placesOf(live.parts & ~next.parts)) {
      this.#emptied[place] = (this.#emptied[place] ?? 0) + 1;
      // Details arrive from the store in any order.
      const ids = [...(this.#firstIds[place] ?? []), programId].sort();
      this.#firstIds[place] = ids.slice(0, maxNamed);
    }
  }

  /** How many of the programs that were added have the part filled now. */
  filledNow(part: string): number {
    return this.#filled[publicParts.indexOf(part)] ?? 0;
  }

  /** Whether the build empties anything; if not, unchanged programs need not be added. */
  get hasLosses(): boolean {
    return this.#emptied.some((count) => count > 0);
  }

  /**
   * P140: the parts that the build empties for most of the programs that had them. A part of few programs
   * counts when it is emptied for all of them. An emptied list stands for its elements. Called after the last
   * program.
   */
  get emptiedFields(): readonly EmptiedField[] {
    const found = publicParts.flatMap((field, place): EmptiedField[] => {
      const [filled = 0, emptied = 0] = [this.#filled[place], this.#emptied[place]];
      const isMost = filled < minPrograms ? emptied === filled : emptied * 2 > filled;
      const programIds = this.#firstIds[place] ?? [];
      return emptied > 0 && isMost ? [{ field, filled, emptied, programIds }] : [];
    });
    const isInside = (field: string, outer: string): boolean =>
      field.startsWith(`${outer}.`) || field.startsWith(`${outer}[].`);
    return found.filter(({ field }) => !found.some((outer) => isInside(field, outer.field)));
  }

  /** P143: the warning that most programs get another `capacity.used`. */
  capacityProblems(programs: number): readonly DataProblem[] {
    const changed = this.#usedChanged;
    if (!isMost(changed, programs)) return [];
    const value = `${changed} of ${programs} program(s)`;
    return [{ code: "capacity_changed", programId: null, field: "capacity.used", value }];
  }
}

/** P140: why a build that empties fields of enough programs may not publish. */
export function emptiedRefusal(tenantId: TenantId, fields: readonly EmptiedField[]): Failure | undefined {
  const refused = fields.filter(({ filled }) => filled >= minPrograms);
  if (refused.length === 0) return undefined;
  const named = refused.slice(0, maxNamed).map((emptied) => `${emptied.field} (${numbersOf(emptied)})`);
  const more = refused.length > maxNamed ? ` and ${refused.length - maxNamed} more field(s)` : "";
  return new Failure(
    "field_guard",
    `Most programs of tenant ${tenantId} would lose what partners see of them: ${named.join("; ")}${more}. ` +
      "Look at the views that these fields come from; if this is right, build with --allow-emptied.",
  );
}

/** P140: the emptied fields as warnings of a build that is not refused. */
export function emptiedProblems(fields: readonly EmptiedField[]): readonly DataProblem[] {
  return fields.map((emptied) => {
    return { code: "fields_emptied", programId: null, field: emptied.field, value: numbersOf(emptied) };
  });
}

function numbersOf({ filled, emptied, programIds }: EmptiedField): string {
  return `empty for ${emptied} of ${filled}: ${programIds.join(", ")}${emptied > programIds.length ? ", ..." : ""}`;
}
