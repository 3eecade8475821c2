import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import type { SourceClient } from "../../database/connect.ts";
import { checkedProgram } from "../../publish/content/checked-program.ts";
import { type ContentRules, contentRules } from "../../publish/content/content-rules.ts";
import { reportedProblem } from "../../publish/public-program/problem.ts";
import { knownSandbox } from "../../publish/sandbox/sandbox-document.ts";
import { sandboxProgramById } from "../../publish/sandbox/sandbox-rows.ts";
import { dataOf } from "../../publish/snapshot/stored-response.ts";
import { type ElsewhereProgram, readElsewhere } from "../../publish/source/find-programs.ts";
import { type ReadProgram, readProgram } from "../../publish/source/read-programs.ts";
import { readTenants } from "../../publish/source/read-tenants.ts";
import type { AskedDatabase, SourceAway } from "./asked-database.ts";

/** A program as the booking database has it now, and how a build would treat it. */
export type ProgramInSource =
  | SourceAway
  | { readonly kind: "tenant_unknown" }
  | { readonly kind: "absent"; readonly elsewhere: readonly ElsewhereProgram[] }
  | {
      readonly kind: "not_publishable";
      readonly state: string;
      /** The problems that would keep the program from being published if its state were active. */
      readonly ifActive: readonly Problem[];
      /** The later of the program's travel dates, if that is past; `YYYY-MM-DD`. */
      readonly lastDay: string | null;
    }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] }
  | {
      readonly kind: "publishable";
      /** The document that partners would get. */
      readonly document: unknown;
      readonly sha256: string;
      /** Values that are dropped or blanked, each with its rule. */
      readonly dropped: readonly Problem[];
    };

/** The limit for a question to the database. A person waits for the answer, perhaps with a partner on the telephone. */
const maxAskingMs = 20_000;

/** Asks the source. Throws `busy`. Any other failure of the source is a result, since the store alone explains much. */
export async function readProgramInSource(
  store: ObjectStore,
  database: AskedDatabase,
  tenantId: TenantId,
  programId: string,
  now: Date,
  signal: AbortSignal,
): Promise<ProgramInSource> {
  const today = now.toISOString().slice(0, 10);
  const rules = contentRules(database.settings);
  try {
    // The database knows nothing of the sandbox (P97).
    if ((await knownSandbox(store, signal)) === tenantId) {
      const found = sandboxProgramById(programId);
      return found === undefined ? { kind: "absent", elsewhere: [] } : inSource(found, rules, today);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: "unavailable", reason: asFailure(error).message };
  }
  return await database.ask({ maxMs: maxAskingMs, signal }, (client) =>
    read(client, tenantId, programId, rules, today),
  );
}

async function read(
  client: SourceClient,
  tenantId: TenantId,
  programId: string,
  rules: ContentRules,
  today: string,
): Promise<ProgramInSource> {
  const tenants = await readTenants(client);
  if (!tenants.some((tenant) => tenant.tenantId === tenantId)) return { kind: "tenant_unknown" };
  const found = await readProgram(client, tenantId, programId, rules.limits);
  if (found === undefined) return { kind: "absent", elsewhere: await readElsewhere(client, programId) };
  return inSource(found, rules, today);
}

/** Tells how a build would treat a program that the source has. */
function inSource(found: ReadProgram, rules: ContentRules, today: string): ProgramInSource {
  const program = checkedProgram(found, rules);
  switch (program.kind) {
    case "unpublished": {
      const { departureDate, returnDate } = found.source;
      const [lastDay = null] = [departureDate, returnDate]
        .filter((day) => day !== null)
        .sort()
        .reverse();
      const isPast = lastDay !== null && lastDay < today;
      const ifActive = errorsIfActive(found, rules);
      return { kind: "not_publishable", state: program.state, ifActive, lastDay: isPast ? lastDay : null };
    }
    case "invalid": {
      const problems = program.problems.map(reportedProblem);
      const others = errorsIfActive(found, rules).filter(
        ({ code }) => !problems.some((problem) => problem.code === code),
      );
      return { kind: "invalid", problems: [...problems, ...others] };
    }
    case "published": {
      const { detail, detailSha256 } = program.rendered;
      const document = dataOf(Buffer.from(detail), "the program");
      const dropped = program.problems.map(reportedProblem);
      return { kind: "publishable", document, sha256: detailSha256, dropped };
    }
  }
}

/** A build names only the first error of a program, but a person who corrects the program needs all of them. */
function errorsIfActive({ source, isDuplicate }: ReadProgram, rules: ContentRules): readonly Problem[] {
  const active = { ...source, lifecycleState: "active" };
  const program = checkedProgram({ source: active, isDuplicate: false }, rules);
  const errors = program.kind === "invalid" ? program.problems.map(reportedProblem) : [];
  const { programId } = source;
  const twice = { code: "program_id_duplicate", programId, field: "id", value: programId } as const;
  return isDuplicate ? [...errors, reportedProblem(twice)] : errors;
}
