import { createHash } from "node:crypto";
import type { ProgramId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type {
  LegacyProgramsResponse,
  ProgramDetailResponse,
  ProgramListItem,
  ProgramListResponse,
} from "../../../schemas/generated/types.ts";
import {
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";

/** Called for a response that breaks its schema (`invalid`) or contradicts another one (`disagrees`). */
export type ReportDisagreement = (kind: "invalid" | "disagrees", message: string) => void;

/**
 * Checks list, legacy list and details of one snapshot against their schemas and each other. The list is given first. Without a
 * valid list, the others are checked against their schemas alone. Only digests of the shared parts are kept.
 */
export class ListAgreement {
  readonly #programs: Manifest["programs"];
  /** Program id → digest of its list fields. */
  readonly #listFields = new Map<string, string>();
  /** In list order: the digests of both forms that the legacy list may show. */
  readonly #legacyForms: (readonly [object: string, total: string])[] = [];
  #isComplete = false;

  constructor(manifest: Manifest) {
    this.#programs = manifest.programs;
  }

  list(json: Buffer, report: ReportDisagreement): void {
    const response = parsed<ProgramListResponse>(isProgramListResponse, json, "the list", report);
    if (response === undefined) return;
    let previous: ProgramListItem | undefined;
    for (const item of response.data) {
      if (this.#listFields.has(item.id)) report("disagrees", `program ${item.id} is listed twice`);
      if (!this.#programs.has(item.id)) report("disagrees", `program ${item.id} is listed and has no detail`);
      if (previous !== undefined && !isInOrder(previous, item)) {
        report("disagrees", `program ${item.id} stands behind ${previous.id}, against the order of the list`);
      }
      previous = item;
      this.#listFields.set(item.id, digest(item));
      const { name, capacity } = item;
      this.#legacyForms.push([digest({ name, capacity }), digest({ name, capacity: capacity.total })]);
    }
    const { count } = response.meta;
    if (count !== response.data.length)
      report("disagrees", `meta.count is ${count}, but the list has ${response.data.length} element(s)`);
    for (const id of this.#programs.ids()) {
      if (!this.#listFields.has(id)) report("disagrees", `program ${id} has a detail and is not listed`);
    }
    this.#isComplete = true;
  }

  legacy(json: Buffer, report: ReportDisagreement): void {
    const response = parsed<LegacyProgramsResponse>(
      isLegacyProgramsResponse,
      json,
      "the legacy list",
      report,
    );
    if (response === undefined || !this.#isComplete) return;
    let form: 0 | 1 | undefined;
    for (const [at, program] of response.programs.entries()) {
      const itsForm = typeof program.capacity === "object" ? 0 : 1;
      if (form !== undefined && itsForm !== form)
        report("disagrees", `element ${at} has another form of capacity`);
      form = itsForm;
      const expected = this.#legacyForms[at]?.[itsForm];
      if (expected !== undefined && digest(program) !== expected)
        report("disagrees", `element ${at} is not what the list says in this place`);
    }
    const [has, listed] = [response.programs.length, this.#legacyForms.length];
    if (has !== listed) report("disagrees", `it has ${has} element(s), the list ${listed}`);
  }

  detail(id: ProgramId, json: Buffer, report: ReportDisagreement): void {
    const response = parsed<ProgramDetailResponse>(isProgramDetailResponse, json, "the detail", report);
    if (response === undefined) return;
    const { data } = response;
    if (data.id !== id) report("disagrees", `it is the detail of program ${data.id}`);
    const listed = this.#listFields.get(id);
    if (
      this.#isComplete &&
      listed !== undefined &&
      listed !== digest(Object.fromEntries(listFields.map((name) => [name, data[name]])))
    )
      report("disagrees", "its list fields differ from those of the list");
  }
}

function parsed<Document>(
  isDocument: CompiledValidator<Document>,
  json: Buffer,
  what: string,
  report: ReportDisagreement,
): Document | undefined {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(json));
  } catch {
    report("invalid", `${what} is not JSON in UTF-8`);
    return undefined;
  }
  const result = validate(isDocument, value);
  if (result.valid) return result.document;
  report("invalid", `${what}: ${result.violation.message}`);
  return undefined;
}

/** `departureDate` ascending, null last, then the id by code unit. */
function isInOrder(before: ProgramListItem, after: ProgramListItem): boolean {
  const [early, late] = [before.departureDate ?? afterAllDates, after.departureDate ?? afterAllDates];
  return early < late || (early === late && before.id < after.id);
}

/** Equal for equal values, whatever the order of their keys. */
function digest(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => (isRecord(part) ? sorted(part) : part));
  return createHash("sha256").update(text).digest("base64").slice(0, 22);
}

function sorted(record: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const afterAllDates = "~";
const listFields = Object.keys({
  ...{ id: 0, name: 0, status: 0, departureDate: 0, returnDate: 0, durationDays: 0 },
  ...{ duration: 0, capacity: 0, currency: 0, category: 0, guide: 0, prices: 0 },
} satisfies Record<keyof ProgramListItem, 0>) as readonly (keyof ProgramListItem)[];
