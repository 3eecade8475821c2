import type { TenantId } from "../../../core/ids.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import type { SourceClient } from "../../database/connect.ts";
import type { EnrollmentStatus } from "../../operate/source-check/enrollment-statuses.ts";
import { type ContentRules, checkedProgram, contentRules } from "../../publish/content/checked-program.ts";
import { reportedProblem } from "../../publish/public-program/problem.ts";
import { dataOf } from "../../publish/snapshot/stored-snapshot.ts";
import { type ReadProgram, readProgram } from "../../publish/source/read-programs.ts";
import { readTenants } from "../../publish/source/read-tenants.ts";
import type { SourceAway, SupportContext } from "./asked-database.ts";
import type { ElsewhereProgram } from "./search-source.ts";

/** A program as the booking database has it now, and how a build would treat it. `dropped`: what partners would not see of it. */
export type ProgramInSource =
  | SourceAway
  | { readonly kind: "tenant_unknown" }
  | { readonly kind: "absent"; readonly elsewhere: readonly ElsewhereProgram[] }
  | {
      readonly kind: "not_publishable";
      readonly state: string;
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

/** The limit for a question to the database. A person waits for the answer, perhaps with a partner on the telephone. */
const maxAskingMs = 20_000;

/** Asks the source. Throws `busy`. Any other failure of the source is a result, since the store alone explains much. */
export async function readProgramInSource(
  { database, reader, signal }: SupportContext,
  { tenantId, programId }: { readonly tenantId: TenantId; readonly programId: string },
): Promise<ProgramInSource> {
  const rules = contentRules(database.settings);
  return await database.ask({ maxMs: maxAskingMs, signal }, async (client: SourceClient) => {
    const tenants = await readTenants(client);
    if (!tenants.some((tenant) => tenant.tenantId === tenantId)) return { kind: "tenant_unknown" };
    const found = await readProgram(client, tenantId, programId, rules.limits);
    if (found === undefined) {
      const { readElsewhere } = await import("./search-source.ts");
      return { kind: "absent", elsewhere: await readElsewhere(client, programId) };
    }
    const source = inSource(found, rules, reader.now.toISOString().slice(0, 10));
    if (source.kind !== "publishable" || !isSoldOut(source.document)) return source;
    const { readEnrollmentStatuses } = await import("../../operate/source-check/enrollment-statuses.ts");
    return { ...source, statuses: await readEnrollmentStatuses(client, rules, { tenantId, programId }) };
  });
}

function isSoldOut(document: unknown): boolean {
  const { capacity } = Object(document);
  return capacity?.total > 0 && capacity.remaining === 0;
}

/** Tells how a build would treat a program that the source has. */
function inSource(found: ReadProgram, rules: ContentRules, today: string): ProgramInSource {
  const { source } = found;
  const program = checkedProgram(found, rules);
  if (program.kind === "published") {
    const { detail, detailSha256: sha256 } = program.rendered;
    const dropped = program.problems.map(reportedProblem);
    return { kind: "publishable", document: dataOf(Buffer.from(detail), "the program"), sha256, dropped };
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
 * A build names only the first error of a program, but a person who corrects the program needs all of them, and what partners
 * would not see of it then. So each error is mended in a copy, until that could be published or nobody knows how to mend it.
 */
function allProblems(found: ReadProgram, rules: ContentRules) {
  const { programId } = found.source;
  const errors: Problem[] = [];
  for (let next: ReadProgram | undefined = found; next !== undefined; ) {
    const program = checkedProgram(next, rules);
    if (program.kind === "unpublished") break;
    const problems = program.problems.map((problem) => ({ ...reportedProblem(problem), programId }));
    if (program.kind === "published") return { errors, dropped: problems };
    errors.push(...problems);
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
