import { detailEntry, type Manifest } from "../../../core/documents/manifest.ts";
import { asFailure } from "../../../core/ground/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ground/ids.ts";
import { readStoreIdentity } from "../../../core/process/open-store.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { Problem, ProgramListItem } from "../../../schemas/generated/types.ts";
import { isProgramListResponse } from "../../../schemas/generated/validators-published.ts";
import type { SourceClient } from "../../database/connect.ts";
import type { EnrollmentStatus } from "../../operate/source-check/enrollment-statuses.ts";
import { nearestName } from "../../output/words.ts";
import { type ContentRules, checkedProgram, contentRules } from "../../publish/content/checked-program.ts";
import { reportedProblem } from "../../publish/public-program/problem.ts";
import { dataOf, type LiveReading, responseBytes } from "../../publish/snapshot/stored-snapshot.ts";
import { type ReadProgram, readProgram } from "../../publish/source/read-programs.ts";
import { isTenantListed } from "../../publish/source/read-tenants.ts";
import type { ProgramPast } from "../../read/snapshots/program-past.ts";
import {
  type ElsewhereProgram,
  readElsewhere,
  readRowStates,
  type SourceAway,
  type SupportContext,
} from "./asked-database.ts";

/** A program in the booking database, and how a build would treat it. `dropped`: what partners miss. */
export type ProgramInSource =
  | SourceAway
  /** `rows`: what its rows say, which no build asks while the source does not list the tenant. */
  | { readonly kind: "tenant_unknown"; readonly rows: ProgramRows }
  | ProgramRows;

type ProgramRows =
  | { readonly kind: "absent"; readonly elsewhere: readonly ElsewhereProgram[] }
  | {
      readonly kind: "not_publishable";
      readonly state: string;
      /** The states of all rows when there are several of the id. */
      readonly rowStates?: readonly string[];
      /** The problems that would keep the program from being published if its state were active. */
      readonly ifActive: readonly Problem[];
      readonly dropped: readonly Problem[];
      /** The later of the program's travel dates, if that is past; `YYYY-MM-DD`. */
      readonly lastDay: string | null;
    }
  /** `problems`: everything that keeps it from being published. */
  | { readonly kind: "invalid"; readonly problems: readonly Problem[]; readonly dropped: readonly Problem[] }
  | {
      readonly kind: "publishable";
      /** The document that partners would get. */
      readonly document: unknown;
      readonly sha256: string;
      readonly dropped: readonly Problem[];
      /** The enrollments that take the places, when none is left. */
      readonly statuses?: readonly EnrollmentStatus[];
    };

/** The limit for a question. A person waits for the answer, perhaps with a partner on the telephone. */
const maxAskingMs = 20_000;

/** Asks the source. Throws `busy`. Another failure is a result, since the store alone explains much. */
export async function readProgramInSource(
  { database, reader, signal }: SupportContext,
  { tenantId, programId }: { readonly tenantId: TenantId; readonly programId: string },
): Promise<ProgramInSource> {
  const rules = contentRules(database.settings);
  return await database.ask({ maxMs: maxAskingMs, signal }, async (client: SourceClient) => {
    const isListed = await isTenantListed(client, tenantId);
    const rows = await readRows(client);
    return isListed ? rows : { kind: "tenant_unknown", rows };
  });

  async function readRows(client: SourceClient): Promise<ProgramRows> {
    const found = await readProgram(client, tenantId, programId, rules.limits);
    if (found === undefined) return { kind: "absent", elsewhere: await readElsewhere(client, programId) };
    const source = inSource(found, rules, reader.now.toISOString().slice(0, 10));
    if (source.kind === "not_publishable" && found.isDuplicate) {
      return { ...source, rowStates: await readRowStates(client, { tenantId, programId }) };
    }
    if (source.kind !== "publishable") return source;
    const { capacity } = Object(source.document);
    const isSoldOut = capacity?.total > 0 && capacity.remaining === 0;
    if (!isSoldOut) return source;
    const { readEnrollmentStatuses } = await import("../../operate/source-check/enrollment-statuses.ts");
    return { ...source, statuses: await readEnrollmentStatuses(client, rules, { tenantId, programId }) };
  }
}

/** Tells how a build would treat a program that the source has. */
function inSource(found: ReadProgram, rules: ContentRules, today: string): ProgramRows {
  const { source } = found;
  const program = checkedProgram(found, rules);
  if (program.kind === "published") {
    const { data: document, rendered, problems } = program;
    const dropped = problems.map(reportedProblem);
    return { kind: "publishable", document, sha256: rendered.detailSha256, dropped };
  }
  if (program.kind === "invalid") {
    const { errors: problems, dropped } = allProblems(found, rules);
    return { kind: "invalid", problems, dropped };
  }
  const days = [source.departureDate, source.returnDate].filter((day) => day !== null).sort();
  const last = days.at(-1) ?? today;
  const active = { ...found, source: { ...source, lifecycleState: "active" } };
  const { errors: ifActive, dropped } = allProblems(active, rules);
  return {
    kind: "not_publishable",
    state: program.state,
    ifActive,
    dropped,
    lastDay: last < today ? last : null,
  };
}

/**
 * A build names only the first error of a program, but a person who corrects the program needs all of them,
 * and what partners would not see of it then. So each error is mended in a copy, until that could be
 * published or nobody knows how to mend it.
 */
function allProblems(found: ReadProgram, rules: ContentRules) {
  const { programId } = found.source;
  const errors: Problem[] = [];
  for (let next: ReadProgram | undefined = found; next !== undefined; ) {
    const program = checkedProgram(next, rules);
    if (program.kind === "unpublished") break;
    const problems = program.problems.map((problem) => ({ ...reportedProblem(problem), programId }));
    if (program.kind === "published") return { errors, dropped: problems };
    for (const problem of problems) errors.push(problem);
    next = mended(next, program.problems[0]?.code);
  }
  return { errors, dropped: [] };
}

function mended({ source, isDuplicate }: ReadProgram, code: string | undefined): ReadProgram | undefined {
  switch (code) {
    case "lifecycle_state_unknown":
      return { source: { ...source, lifecycleState: "active" }, isDuplicate };
    case "program_id_invalid":
      return { source: { ...source, programId: "ID" }, isDuplicate };
    case "program_name_blank":
      return { source: { ...source, name: "Name" }, isDuplicate };
    case "program_id_duplicate":
      return { source, isDuplicate: false };
    default:
      return undefined;
  }
}

export type ProgramInStore =
  /** Nothing was ever published for it. `isStore`: whether the place was ever used as a store (W160). */
  | { readonly kind: "unpublished"; readonly store: string; readonly isStore: boolean }
  /** The tenant's pointer, its manifest or the program's own file cannot be trusted. */
  | { readonly kind: "damaged"; readonly reason: string }
  | {
      readonly kind: "live";
      readonly snapshotId: SnapshotId;
      readonly programs: number;
      /** `null`: the live snapshot does not have the program. */
      readonly served: ServedProgram | null;
      /** The id of a live program that is nearly this one; `null` when the snapshot has this one. */
      readonly near: string | null;
      /** Why the live snapshot lacks the program; `null` when it has it, or none was asked for. */
      readonly past: ProgramPast | null;
    };

export interface ServedProgram {
  readonly document: unknown;
  readonly sha256: string;
  readonly key: string;
  /** The snapshot whose build wrote these bytes. */
  readonly builtBy: SnapshotId | null;
}

/** `isAsked`: the question is about this program, not another spelling of its id: look for its past. */
export async function readProgramInStore(
  { store, reader, signal }: SupportContext,
  reading: LiveReading<Manifest>,
  programId: string,
  isAsked: boolean,
): Promise<ProgramInStore> {
  if (reading.kind === "none") {
    const isStore = (await readStoreIdentity(store, { signal })) !== undefined;
    return { kind: "unpublished", store: store.address, isStore };
  }
  if (reading.kind === "damaged") return { kind: "damaged", reason: reading.reason };
  const { pointer, content: manifest } = reading;
  const { snapshotId, programs } = manifest;
  const found = { kind: "live", snapshotId, programs: programs.count } as const;
  const entry = detailEntry(manifest, programId);
  if (entry === undefined) {
    const near = nearestName(programId, programs.ids()) ?? null;
    if (!isAsked) return { ...found, served: null, near, past: null };
    const { recordedPast } = await import("../../read/snapshots/program-past.ts");
    const recorded = await recordedPast(store, { pointer, manifest }, programId, signal);
    if (recorded !== undefined) return { ...found, served: null, near, past: recorded };
    const history = await import("../../read/snapshots/program-past.ts");
    const versions = await history.readProgramVersions(store, pointer, programId, signal);
    const past = history.programPast(versions, { snapshotId, at: reader.now });
    return { ...found, served: null, near, past };
  }
  const { sha256, key } = entry;
  try {
    const document = dataOf(await responseBytes(store, entry, signal), key);
    const builtBy = programs.get(programId)?.snapshotId ?? null;
    return { ...found, served: { document, sha256, key, builtBy }, near: null, past: null };
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code !== "corrupt_document") throw error;
    return { kind: "damaged", reason: message };
  }
}

/** The programs of a snapshot's list, in its order. Throws `corrupt_document`. */
export async function storedPrograms(
  store: ObjectStore,
  { list }: Manifest,
  signal: AbortSignal,
): Promise<readonly ProgramListItem[]> {
  const response = JSON.parse((await responseBytes(store, list, signal)).toString("utf8"));
  return isProgramListResponse(response) ? response.data : [];
}
