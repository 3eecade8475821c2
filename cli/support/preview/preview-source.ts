import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import type { SourceClient } from "../../database/connect.ts";
import { FindingGroups } from "../../operate/source-check/finding-groups.ts";
import { addProgramProblems } from "../../operate/source-check/program-problems.ts";
import { type CheckedProgram, checkedProgram } from "../../publish/content/checked-program.ts";
import type { ContentRules } from "../../publish/content/content-rules.ts";
import type { ComparedProgram } from "../../publish/guards/shared-guard.ts";
import { reportedProblem } from "../../publish/public-program/problem.ts";
import { shownId } from "../../publish/public-program/shown-id.ts";
import { requireSourceStructure } from "../../publish/source/check-structure.ts";
import { readElsewhere } from "../../publish/source/find-programs.ts";
import { readProgram } from "../../publish/source/read-program.ts";
import { readPrograms } from "../../publish/source/read-programs.ts";
import { readTenantList } from "../../publish/source/read-tenants.ts";
import { samplePrograms } from "../../publish/source/sample-programs.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { didYouMean } from "../../shell/nearest-name.ts";
import { type EmptyField, FilledFields } from "./never-filled.ts";
import { addSharedSample } from "./shared-sample.ts";

/** What a build would make of a program. */
export interface ProgramPreview {
  readonly programId: string | null;
  readonly outcome: CheckedProgram["kind"];
  /** Why it is not published: the state that the source gives it. */
  readonly state: string | null;
  /** The whole response that partners would get. */
  readonly document: unknown;
  readonly problems: readonly Problem[];
}

/** What a build would publish of a tenant, as far as a sample shows it. */
export interface SourcePreview {
  readonly tenantId: TenantId;
  /** How many tenants the source lists. */
  readonly tenants: number;
  /** The program that was asked for, or the first of the sample that would be published; `null`: there is none. */
  readonly program: ProgramPreview | null;
  /** Of the tenant, in whatever state; that a build would publish or refuse; that were looked at; that would be published. */
  readonly programs: Readonly<Record<"total" | "candidates" | "unknown" | "sampled" | "published", number>>;
  readonly neverFilled: readonly EmptyField[];
  /** What is wrong with the programs of the sample. */
  readonly findings: readonly SourceProblem[];
}

export interface PreviewWish {
  readonly tenantId?: TenantId | undefined;
  readonly programId?: string | undefined;
}

/** A tenth of a second or so, and enough to tell what a company never fills in. */
const maxSampled = 200;

/**
 * P106: maps programs as a build does (`checkedProgram`), without a store. Throws `source_contract` when the views are not as
 * they should be, and `not_found` for a tenant or program that the source does not have. Expects a transaction.
 */
export async function previewSource(
  client: SourceClient,
  rules: ContentRules,
  wish: PreviewWish,
): Promise<SourcePreview> {
  await requireSourceStructure(client);
  const { tenants } = await readTenantList(client);
  const tenantId = wantedTenant(tenants, wish.tenantId);
  const asked =
    wish.programId === undefined ? undefined : await readAsked(client, tenantId, wish.programId, rules);
  const sample = await samplePrograms(client, tenantId, maxSampled);
  const groups = new FindingGroups();
  const filled = new FilledFields();
  const compared = new Map<string, ComparedProgram>();
  let [sampled, published] = [0, 0];
  let shown = asked;
  // Without sizes each view is read by its guarded query: nothing here is worth finding them out.
  for await (const batch of readPrograms(client, tenantId, rules.limits, {}, sample.programIds)) {
    for (const read of batch) {
      const outcome = checkedProgram(read, rules);
      addProgramProblems(groups, tenantId, read, outcome);
      sampled += 1;
      const preview = previewOf(read.source.programId, outcome);
      if (outcome.kind === "published") {
        published += 1;
        compared.set(outcome.programId, { name: outcome.data.name, sha256: outcome.rendered.detailSha256 });
        filled.add((preview.document as { data: unknown }).data);
      }
      if (asked === undefined && shown?.outcome !== "published") {
        if (shown === undefined || outcome.kind === "published") shown = preview;
      }
    }
  }
  await addSharedSample(client, tenantId, rules, compared, groups);
  return {
    tenantId,
    tenants: tenants.length,
    program: shown ?? null,
    programs: {
      total: sample.total,
      candidates: sample.candidates,
      unknown: sample.unknown,
      sampled,
      published,
    },
    neverFilled: published === 0 ? [] : filled.neverFilled(),
    findings: groups.problems,
  };
}

/** P82: the nearest is named. */
function wantedTenant(tenants: readonly TenantId[], wanted: TenantId | undefined): TenantId {
  const found = wanted === undefined ? tenants[0] : tenants.find((tenantId) => tenantId === wanted);
  if (found !== undefined) return found;
  const message =
    wanted === undefined
      ? "The source lists no tenant that could be built; `source check` says what is wrong."
      : `The source does not list the tenant ${wanted}.${didYouMean(wanted, tenants)}`;
  throw new Failure("not_found", message);
}

async function readAsked(
  client: SourceClient,
  tenantId: TenantId,
  programId: string,
  rules: ContentRules,
): Promise<ProgramPreview> {
  const read = await readProgram(client, tenantId, programId, rules.limits);
  if (read !== undefined) return previewOf(programId, checkedProgram(read, rules));
  const [near] = await readElsewhere(client, programId);
  const hint =
    near === undefined ? "" : ` There is ${shownId(near.programId)} of tenant ${shownId(near.tenantId)}.`;
  throw new Failure(
    "not_found",
    `Tenant ${tenantId} has no program ${shownId(programId)} in the source.${hint}`,
  );
}

function previewOf(programId: string | null, program: CheckedProgram): ProgramPreview {
  const { kind: outcome } = program;
  const state = program.kind === "unpublished" ? program.state : null;
  const document: unknown = program.kind === "published" ? JSON.parse(program.rendered.detail) : null;
  const problems = program.kind === "unpublished" ? [] : program.problems.map(reportedProblem);
  return { programId, outcome, state, document, problems };
}
