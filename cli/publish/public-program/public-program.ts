import { isProgramId, type ProgramId } from "../../../core/ground/ids.ts";
import type { Capacity, ProgramDetail, ProgramListItem } from "../../../schemas/generated/types.ts";
import { content, hotelStays, prices, staff, transport, travelDates } from "./detail-parts.ts";
import { type DataProblem, type ProblemCode, type Report, shownValue } from "./problem.ts";
import { type EnrollmentRow, lifecycle, type ProgramSource } from "./program-source.ts";
import { presentText, presentTexts, publicUrl, publicUrls } from "./public-text.ts";

/** The fields of the detail that the list does not have, in the order of the specification's table. */
export type DetailOnly = Omit<ProgramDetail, keyof ProgramListItem>;

export type PublicProgram =
  | {
      readonly kind: "published";
      readonly programId: ProgramId;
      readonly listItem: ProgramListItem;
      readonly detailOnly: DetailOnly;
      readonly problems: readonly DataProblem[];
    }
  | { readonly kind: "unpublished"; readonly state: string }
  /** `problems` has one error, and no warnings, since nothing of the program is published. */
  | { readonly kind: "invalid"; readonly problems: readonly DataProblem[] };

export interface MappingRules {
  readonly isTerminalStatus: (status: string | null) => boolean;
}

/**
 * Makes the public form field by field from an allow-list, never by copying a record (D4). It has every key
 * of the specification's tables, in their order (D5), so that the same data gives the same bytes (D10).
 */
export function publicProgram(source: ProgramSource, rules: MappingRules): PublicProgram {
  const state = lifecycle(source.lifecycleState);
  if (state.kind === "unpublished") return state;
  if (source.oversize !== null) {
    const { code, field, text: value } = source.oversize;
    return { kind: "invalid", problems: [{ code, programId: source.programId, field, value }] };
  }
  if (state.kind === "unknown") {
    return invalid(source, "lifecycle_state_unknown", "lifecycle_state", source.lifecycleState);
  }
  // A missing or ill-formed id or a blank name is an error (D3). Reading the rows finds ids that occur twice.
  const { programId } = source;
  if (programId === null || !isProgramId(programId))
    return invalid(source, "program_id_invalid", "id", programId);
  const name = presentText(source.name);
  if (name === null) return invalid(source, "program_name_blank", "name", source.name);

  const problems: DataProblem[] = [];
  const report: Report = (code, field, value) => {
    problems.push({ code, programId, field, value: shownValue(value) });
  };
  const listItem = publicListItem(source, programId, name, rules, report);
  return { kind: "published", programId, listItem, detailOnly: publicDetailOnly(source, report), problems };
}

function publicListItem(
  source: ProgramSource,
  id: ProgramId,
  name: string,
  rules: MappingRules,
  report: Report,
): ProgramListItem {
  const dates = travelDates(source.departureDate, source.returnDate, report);
  const type = presentText(source.categoryType);
  const subtype = presentText(source.categorySubtype);
  const guideName = presentText(source.guideName);
  return {
    id,
    name,
    status: "active",
    ...dates,
    capacity: capacity(source.capacityTotal, source.enrollments, rules.isTerminalStatus, report),
    currency: currency(source.currency, report),
    category: type === null && subtype === null ? null : { type, subtype },
    guide: guideName === null ? null : { name: guideName },
    prices: prices(source.roomPrices, source.childPrices, source.legacyPrice, report),
  };
}

function publicDetailOnly(source: ProgramSource, report: Report): DetailOnly {
  const stays = hotelStays(source.hotelStays, report);
  const accommodationDescription = presentText(source.accommodationDescription);
  const coverUrl = publicUrl(source.coverUrl, "media.coverUrl", report);
  const galleryUrls = publicUrls(source.galleryUrls, "media.galleryUrls", report);
  const hasAccommodation = stays.length > 0 || accommodationDescription !== null;
  return {
    description: presentText(source.description),
    departurePoint: presentText(source.departurePoint),
    hotels: stays,
    marketingTags:
      source.marketingTags === null ? null : presentTexts(source.marketingTags, "marketingTags", report),
    staff: staff(source.staff, report),
    accommodation: hasAccommodation ? { stays, description: accommodationDescription } : null,
    transport: transport(source.flights, report),
    media: coverUrl === null && galleryUrls.length === 0 ? null : { coverUrl, galleryUrls },
    content: content(source, report),
  };
}

/** The currency, if it has the form of a code (D27). Partners look it up, so nothing else is published. */
function currency(raw: string | null, report: Report): string | null {
  const code = presentText(raw);
  if (code === null) return null;
  if (/^[A-Za-z]{3}$/.test(code)) return code.toUpperCase();
  report("currency_invalid", "currency", code);
  return null;
}

function invalid(source: ProgramSource, code: ProblemCode, field: string, value: unknown): PublicProgram {
  const { programId } = source;
  return { kind: "invalid", problems: [{ code, programId, field, value: shownValue(value) }] };
}

/**
 * `used` counts passengers whose status is not terminal, and no staff (D29). An unknown status or role counts
 * as used: a seat wrongly taken is better than one sold twice. `used` may exceed `total`; `remaining` is then
 * 0 (D28).
 */
function capacity(
  declaredTotal: number | string | null,
  enrollments: readonly EnrollmentRow[],
  isTerminal: (status: string | null) => boolean,
  report: Report,
): Capacity {
  const isCount =
    typeof declaredTotal === "number" && Number.isSafeInteger(declaredTotal) && declaredTotal >= 0;
  if (!isCount) report("capacity_total_invalid", "capacity.total", declaredTotal);
  const total = isCount ? declaredTotal : 0;
  let used = 0;
  for (const [role, status, count] of enrollments) {
    const known = role?.toLowerCase();
    if (isTerminal(status) || known === "staff") continue;
    if (known !== "passenger") report("enrollment_role_unknown", "capacity.used", role);
    used += count;
  }
  return { total, used, remaining: Math.max(0, total - used) };
}

/** The test ignores case (D33). NULL is not terminal. */
export function terminalStatusTest(terminal: readonly string[]): (status: string | null) => boolean {
  const known = new Set(terminal.map((status) => status.toLowerCase()));
  return (status) => status !== null && known.has(status.toLowerCase());
}
