import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { placeOf, terminalStatusTest } from "../../publish/public-program/capacity.ts";
import { type FoundInSource, findProgramsInSource } from "../../publish/source/find-programs.ts";
import {
  type EnrollmentGroup,
  maxEnrollmentGroups,
  readEnrollments,
} from "../../publish/source/read-enrollments.ts";
import { readWithdrawn } from "../../publish/source/tenant-rows.ts";
import type { AskedDatabase, SourceAway } from "./asked-database.ts";

export type TakenPlaces =
  | SourceAway
  | {
      readonly kind: "asked";
      readonly groups: readonly (EnrollmentGroup & { readonly place: ReturnType<typeof placeOf> })[];
      /** Whether there are more kinds than are shown. */
      readonly isCut: boolean;
    };

const maxAskingMs = 15_000;

/** P75: asks the source for numbers by status and role. Throws `busy`. Any other failure of the source is a result. */
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

/** The programs that the source names in its answer. */
type AskedPrograms<Program> = { readonly kind: "asked"; readonly programs: readonly Program[] } | SourceAway;
export type WithdrawnSince = AskedPrograms<string>;

/**
 * The programs of the snapshot that the next build of its tenant withdraws (P20). A source that fails is a result and not thrown.
 */
export async function withdrawnSince(
  database: AskedDatabase,
  { tenantId, programs }: Manifest,
  signal: AbortSignal,
): Promise<WithdrawnSince> {
  return await database.ask({ maxMs: maxAskingMs, signal }, async (client) => {
    return { kind: "asked", programs: await readWithdrawn(client, tenantId, programs) };
  });
}

export type SourceSearch = AskedPrograms<FoundInSource>;

/** The limit for a search. Somebody waits for the page (P69). */
const maxWaitMs = 3000;
const maxFound = 50;

/** Throws `busy`. Any other failure of the source is a result. */
export async function findInSource(
  database: AskedDatabase,
  words: readonly string[],
  signal: AbortSignal,
): Promise<SourceSearch> {
  return await database.ask({ maxMs: maxWaitMs, signal }, async (client) => {
    return { kind: "asked", programs: await findProgramsInSource(client, words, maxFound) };
  });
}
