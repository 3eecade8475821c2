import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import { checkedProgram } from "../../build/checked-program.ts";
import { type ContentRules, contentRules } from "../../build/content-rules.ts";
import { type SourceClient, withSourcePool } from "../../database/connect.ts";
import { withExistingDatabase } from "../../database/existing-database.ts";
import { reportedProblem } from "../../public-program/problem.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { dataOf } from "../../snapshot/stored-response.ts";
import { type ElsewhereProgram, readElsewhere, readProgram } from "../../source/read-program.ts";
import { readTenants } from "../../source/read-tenants.ts";

/** What the booking database says of a program now, and what a build would make of it. */
export type ProgramInSource =
  | { readonly kind: "unavailable"; readonly reason: string }
  | { readonly kind: "tenant_unknown" }
  | { readonly kind: "absent"; readonly elsewhere: readonly ElsewhereProgram[] }
  | { readonly kind: "not_publishable"; readonly state: string }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] }
  | {
      readonly kind: "publishable";
      /** What partners would get. */
      readonly document: unknown;
      readonly sha256: string;
      /** Values that are dropped or blanked, each with its rule. */
      readonly dropped: readonly Problem[];
    };

/** Asks the source; never throws for its sake, since the store alone explains much. */
export async function readProgramInSource(
  settings: CliSettings,
  tenantId: TenantId,
  programId: string,
  signal: AbortSignal,
): Promise<ProgramInSource> {
  try {
    return await withExistingDatabase(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections: 1, signal }, (pool) =>
        pool.withReading((client) => read(client, tenantId, programId, contentRules(settings))),
      ),
    );
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: "unavailable", reason: asFailure(error).message };
  }
}

async function read(
  client: SourceClient,
  tenantId: TenantId,
  programId: string,
  rules: ContentRules,
): Promise<ProgramInSource> {
  const tenants = await readTenants(client);
  if (!tenants.some((tenant) => tenant.tenantId === tenantId)) return { kind: "tenant_unknown" };
  const found = await readProgram(client, tenantId, programId, rules.limits);
  if (found === undefined) return { kind: "absent", elsewhere: await readElsewhere(client, programId) };
  const program = checkedProgram(found, rules);
  switch (program.kind) {
    case "unpublished":
      return { kind: "not_publishable", state: program.state };
    case "invalid":
      return { kind: "invalid", problems: program.problems.map(reportedProblem) };
    case "published": {
      const { detail, detailSha256 } = program.rendered;
      const document = dataOf(Buffer.from(detail), "the program");
      return {
        kind: "publishable",
        document,
        sha256: detailSha256,
        dropped: program.problems.map(reportedProblem),
      };
    }
  }
}
