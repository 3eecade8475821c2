import type { TenantId } from "../../../core/ids.ts";
import { singleLine } from "../../../core/printable.ts";
import type { SourceClient } from "../../database/connect.ts";
import { rowsOf } from "../../database/for-each-row.ts";
import type { MappingRules } from "../../publish/public-program/public-program.ts";
import { ofTenant } from "../../publish/source/program-queries.ts";

/** Enrollments with the same status. Nothing tells whose they are. */
export interface EnrollmentStatus {
  readonly status: string | null;
  /** Whether their role is `staff`. */
  readonly isStaff: boolean;
  readonly count: number;
  readonly takesPlace: boolean;
}

/** A column with more values than this holds something other than statuses. */
const maxStatuses = 100;

/** Counts enrollments by status, the most frequent first: those of one program, or all. */
export async function readEnrollmentStatuses(
  client: SourceClient,
  { isTerminalStatus }: MappingRules,
  program?: { readonly tenantId: TenantId; readonly programId: string },
): Promise<readonly EnrollmentStatus[]> {
  const where = program === undefined ? "true" : `${ofTenant} AND program_id::text COLLATE "C" = $2`;
  const query = `
  SELECT left(status::text, 200) COLLATE "C", coalesce(lower(role::text) = 'staff', false), count(*)::int
    FROM partner_source.enrollments
   WHERE ${where}
   GROUP BY 1, 2
   ORDER BY 3 DESC, 1, 2
   LIMIT ${maxStatuses}`;
  const values = program === undefined ? [] : [program.tenantId, program.programId];
  const rows = await rowsOf<[string | null, boolean, number]>(client, query, values);
  return rows.map(([status, isStaff, count]) => {
    return { status, isStaff, count, takesPlace: !isStaff && !isTerminalStatus(status) };
  });
}

/** The heads and rows of a table that tells who takes a place. */
export const statusColumns = ["ENROLLMENT STATUS", "COUNT", "TAKES A PLACE"] as const;

export function statusCells({ status, isStaff, count, takesPlace }: EnrollmentStatus): readonly string[] {
  return [
    `${status === null ? "NULL" : singleLine(status)}${isStaff ? " (staff)" : ""}`,
    String(count),
    takesPlace ? "yes" : "no",
  ];
}

/**
 * Beginnings of words, without accents, for bookings that take no place in most booking systems: words of the languages that
 * such systems are written in. Statuses in other words are still in the list of all statuses.
 */
const ended = [
  "canc annul anul storn abgesagt afgelast avlyst aflyst avbok perut zrus otkaz lemond iptal batal huy",
  "отмен скасов ακυρ ملغ בוטל 取消 キャンセル 취소",
  "reject declin refus abgelehnt rechaz recus rifiut odrzuc odmit tolak",
  "refund erstatt rembours reembols rimbors chargeback",
  "expir abgelaufen caduc scadut kadaluarsa withdrawn noshow",
].flatMap((words) => words.split(" "));
const waiting = /wait|warte|wacht|ventelist|espera|attesa|attente|tunggu/;
/** Whoever is awaited to pay or to confirm has a place already. */
const awaited = /pag|pai|pay|zahl|bayar|deposit|confirm|bestatig/;

/** Whether a status looks like a booking that takes no place. */
export function looksPlaceless(status: string): boolean {
  const plain = status
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}|[\s_-]/gu, "")
    .normalize("NFC");
  return ended.some((word) => plain.includes(word)) || (waiting.test(plain) && !awaited.test(plain));
}

/** Whether a status is a letter or a number, as in many systems: nobody can see whether `c` is confirmed or cancelled. */
export function isCode(status: string): boolean {
  return /^(\p{L}|\d+)$/u.test(status);
}
