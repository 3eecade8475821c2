import { hash } from "node:crypto";
import { isProgramId, type ProgramId } from "../../../core/ground/ids.ts";
import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import {
  isProgramDetailResponse,
  isProgramListItem,
} from "../../../schemas/generated/validators-published.ts";
import { validate } from "../../../schemas/validate.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { type DataProblem, shownValue } from "../public-program/problem.ts";
import { lifecycle } from "../public-program/program-source.ts";
import {
  type MappingRules,
  type PublicProgram,
  publicProgram,
  terminalStatusTest,
} from "../public-program/public-program.ts";
import type { SourceLimits } from "../source/program-row.ts";
import type { ReadProgram } from "../source/read-programs.ts";

/** What decides the content of a tenant's snapshot, beside its data. */
export interface ContentRules extends MappingRules {
  /** The statuses as the setting has them; `isTerminalStatus` compares without regard to case. */
  readonly terminalStatuses: readonly string[];
  readonly legacyCapacity: LegacyCapacity;
  readonly limits: SourceLimits;
  /** The bound on a tenant's list and legacy response together. */
  readonly maxListBytes: number;
}

export function contentRules(settings: CliSettings): ContentRules {
  const { terminalStatuses, legacyCapacity, maxValueKb, maxProgramKb, maxListMb } = settings;
  return {
    terminalStatuses,
    isTerminalStatus: terminalStatusTest(terminalStatuses),
    legacyCapacity,
    limits: { maxValueBytes: maxValueKb * 1024, maxProgramBytes: maxProgramKb * 1024 },
    maxListBytes: maxListMb * 1024 * 1024,
  };
}

/**
 * The canonical text: minified JSON, keys in the order of the specification's tables (D5). Bytes are made
 * only when needed, because most programs are stored already.
 */
export interface RenderedProgram {
  readonly listItem: string;
  /** The element of the legacy resource's `programs`. */
  readonly legacyItem: string;
  readonly detail: string;
  /** The SHA-256 (hex) of the detail's bytes. */
  readonly detailSha256: string;
}

export type LegacyCapacity = "object" | "total";

type Published = Extract<PublicProgram, { kind: "published" }>;

export type CheckedProgram =
  | Exclude<PublicProgram, Published>
  | (Pick<Published, "kind" | "programId" | "problems"> & {
      readonly rendered: RenderedProgram;
      readonly data: ProgramListItem;
      readonly departureDate: string | null;
    });

/** The program's responses, checked against their schemas, or why it has none. */
export function checkedProgram({ source, isDuplicate }: ReadProgram, rules: ContentRules): CheckedProgram {
  // D3: nobody knows which of several programs of one id the child rows belong to.
  const { programId: id, lifecycleState } = source;
  if (isDuplicate && lifecycle(lifecycleState).kind === "publishable" && isProgramId(id ?? "")) {
    const problem = { code: "program_id_duplicate", programId: id, field: "id", value: id } as const;
    return { kind: "invalid", problems: [problem] };
  }
  const program = publicProgram(source, rules);
  if (program.kind !== "published") return program;
  const { kind, programId, problems, listItem, detailOnly } = program;
  const rendered = renderedProgram(program, rules.legacyCapacity);
  const fault =
    oversizeProblem(rendered, programId, rules.limits.maxProgramBytes) ??
    schemaViolation(rendered, programId);
  if (fault !== undefined) return { kind: "invalid", problems: [fault] };
  const data = { ...listItem, ...detailOnly };
  return { kind, programId, problems, rendered, data, departureDate: listItem.departureDate };
}

/** D37: some of the data takes more room in the finished document than in the source. */
function oversizeProblem(
  { detail }: RenderedProgram,
  programId: ProgramId,
  maxBytes: number,
): DataProblem | undefined {
  // No UTF-16 code unit takes more than three bytes in UTF-8.
  const bytes = detail.length * 3 <= maxBytes ? 0 : Buffer.byteLength(detail);
  if (bytes <= maxBytes) return undefined;
  const value = `JSON: ${bytes} bytes, limit ${maxBytes}`;
  return { code: "program_too_large", programId, field: null, value };
}

export function renderedProgram(
  { listItem, detailOnly }: Published,
  legacyCapacity: LegacyCapacity,
): RenderedProgram {
  // D8: the detail begins with the text of the list item, so their list fields cannot differ.
  const listText = JSON.stringify(listItem);
  const detail = `{"data":${listText.slice(0, -1)},${JSON.stringify(detailOnly).slice(1)}}`;
  return {
    listItem: listText,
    legacyItem: legacyItemOf(listItem, legacyCapacity),
    detail,
    detailSha256: hash("sha256", detail, "hex"),
  };
}

/** D12 */
export function legacyItemOf(
  { name, capacity }: Pick<ProgramListItem, "name" | "capacity">,
  legacyCapacity: LegacyCapacity,
): string {
  return JSON.stringify({ name, capacity: legacyCapacity === "total" ? capacity.total : capacity });
}

/**
 * D11: the first fault of the rendered text, read back as a partner would. Normally there is none. The check
 * holds when the mapping is wrong one day, or when the source gives nested arrays. The bytes need no reading
 * back of their own: `JSON.stringify` escapes lone surrogates, and UTF-8 holds every other text.
 */
export function schemaViolation(rendered: RenderedProgram, programId: ProgramId): DataProblem | undefined {
  const detail = validate<unknown>(isProgramDetailResponse, JSON.parse(rendered.detail));
  const result = detail.valid ? validate<unknown>(isProgramListItem, JSON.parse(rendered.listItem)) : detail;
  if (result.valid) return undefined;
  const { path, expected, found } = result.violation;
  const value = shownValue(`must ${expected}: ${found}`);
  return { code: "schema_violation", programId, field: path, value };
}
