import { createHash } from "node:crypto";
import type { ProgramId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type {
  LegacyProgram,
  LegacyProgramsResponse,
  ProgramDetailResponse,
  ProgramListItem,
  ProgramListResponse,
} from "../../../schemas/generated/types.ts";
import {
  isLegacyProgram,
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListItem,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { ElementSplitter } from "../../publish/snapshot/element-splitter.ts";

/** Hears, in words, of a response that breaks its schema (`invalid`) or contradicts another one (`disagrees`). */
export type ReportDisagreement = (kind: "invalid" | "disagrees", message: string) => void;

/** Takes a response piece by piece. */
export interface ResponseReader {
  take(piece: Buffer): void;
  /** Called once, after the last piece. */
  end(): void;
}

/**
 * Holds list, legacy list and details of one snapshot against their schemas and each other. Of every program it keeps
 * digests of what the responses share, never the responses, so 100,000 programs take a few megabytes.
 * The list is read first; without it the others are held against their schemas alone.
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

  list(report: ReportDisagreement): ResponseReader {
    let previous: ProgramListItem | undefined;
    let isSound = true;
    const splitter = new ElementSplitter((json) => {
      const item = parsed(isProgramListItem, json, `element ${this.#legacyForms.length}`, report);
      // What follows from a broken element is no finding of its own.
      if (item === undefined) isSound = false;
      if (item === undefined || !isSound) return;
      if (this.#listFields.has(item.id)) report("disagrees", `program ${item.id} is listed twice`);
      if (!this.#programs.has(item.id)) report("disagrees", `program ${item.id} is listed and has no detail`);
      if (previous !== undefined && !isInOrder(previous, item)) {
        report("disagrees", `program ${item.id} stands behind ${previous.id}, against the order of the list`);
      }
      previous = item;
      this.#listFields.set(item.id, digest(item));
      const { name, capacity } = item;
      this.#legacyForms.push([digest({ name, capacity }), digest({ name, capacity: capacity.total })]);
    });
    return {
      take: (piece) => splitter.push(piece),
      end: () => {
        const rest = parsed<ProgramListResponse>(
          isProgramListResponse,
          splitter.finish(),
          "the list",
          report,
        );
        if (rest === undefined || !isSound) return;
        const listed = this.#legacyForms.length;
        if (rest.meta.count !== listed)
          report("disagrees", `meta.count is ${rest.meta.count}, but the list has ${listed} element(s)`);
        for (const id of this.#programs.ids()) {
          if (!this.#listFields.has(id)) report("disagrees", `program ${id} has a detail and is not listed`);
        }
        this.#isComplete = true;
      },
    };
  }

  legacy(report: ReportDisagreement): ResponseReader {
    let at = 0;
    let form: 0 | 1 | undefined;
    const splitter = new ElementSplitter((json) => {
      const where = `element ${at}`;
      const expected = this.#legacyForms[at];
      at += 1;
      const program = parsed<LegacyProgram>(isLegacyProgram, json, where, report);
      if (program === undefined || !this.#isComplete || expected === undefined) return;
      const kind = typeof program.capacity === "object" ? 0 : 1;
      if (form !== undefined && kind !== form) report("disagrees", `${where} has another form of capacity`);
      form = kind;
      if (digest(program) !== expected[kind])
        report("disagrees", `${where} is not what the list says in this place`);
    });
    return {
      take: (piece) => splitter.push(piece),
      end: () => {
        const rest = parsed<LegacyProgramsResponse>(
          isLegacyProgramsResponse,
          splitter.finish(),
          "the legacy list",
          report,
        );
        const listed = this.#legacyForms.length;
        if (rest !== undefined && this.#isComplete && at !== listed)
          report("disagrees", `it has ${at} element(s), the list ${listed}`);
      },
    };
  }

  detail(id: ProgramId, json: Buffer, report: ReportDisagreement): void {
    const response = parsed<ProgramDetailResponse>(isProgramDetailResponse, json, "the detail", report);
    if (response === undefined) return;
    const { data } = response;
    if (data.id !== id) report("disagrees", `it is the detail of program ${data.id}`);
    const listed = this.#listFields.get(id);
    if (this.#isComplete && listed !== undefined && listed !== digest(listPart(data)))
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

function listPart(detail: ProgramListItem): ProgramListItem {
  const { id, name, status, departureDate, returnDate, durationDays } = detail;
  const { duration, capacity, currency, category, guide, prices } = detail;
  return {
    id,
    name,
    status,
    departureDate,
    returnDate,
    durationDays,
    duration,
    capacity,
    currency,
    category,
    guide,
    prices,
  };
}

/** Of the value, whatever the order of the keys. */
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
