import type { TenantId } from "../../core/ids.ts";
import { placeOf, terminalStatusTest } from "../publish/public-program/capacity.ts";
import {
  type EnrollmentGroup,
  maxEnrollmentGroups,
  readEnrollments,
} from "../publish/source/read-enrollments.ts";
import type { AskedDatabase, SourceAway } from "./asked-database.ts";

/** Which enrollments take a program's places. */
export type TakenPlaces =
  | SourceAway
  | {
      readonly kind: "asked";
      readonly groups: readonly (EnrollmentGroup & { readonly place: ReturnType<typeof placeOf> })[];
      /** More kinds are there than are shown. */
      readonly isCut: boolean;
    };

const maxAskingMs = 15_000;

/** P75: asks the source for numbers by status and role. Throws `busy`, and nothing else for its sake. */
export async function takenPlaces(
  database: AskedDatabase,
  tenantId: TenantId,
  programId: string,
  signal: AbortSignal,
): Promise<TakenPlaces> {
  const isTerminal = terminalStatusTest(database.settings.terminalStatuses);
  return await database.ask({ maxMs: maxAskingMs, signal }, async (client) => {
    const found = await readEnrollments(client, tenantId, programId);
    const groups = found
      .slice(0, maxEnrollmentGroups)
      .map((group) => ({ ...group, place: placeOf(group.role, group.status, isTerminal) }));
    return { kind: "asked", groups, isCut: found.length > groups.length };
  });
}
