import { Failure } from "../../core/ground/failure.ts";
import type { TenantId } from "../../core/ground/ids.ts";
import { publicFields } from "../../schemas/generated/public-fields.ts";
import type { ProgramDetailResponse } from "../../schemas/generated/types.ts";
import { limitWaiting, rowsOf, type SourceClient } from "../database/connect.ts";
import { FindingGroups, type ProblemPlace, problemPlace } from "../operate/source-check/findings.ts";
import { didYouMeanLonger } from "../output/words.ts";
import {
  type CheckedProgram,
  type ContentRules,
  checkedProgram,
} from "../publish/content/checked-program.ts";
import { placesOf, publicFacts, publicParts } from "../publish/guards/field-guard.ts";
import { minPrograms } from "../publish/guards/guards.ts";
import { reportedProblem, shownId } from "../publish/public-program/problem.ts";
import { lifecycle, type ProgramSource } from "../publish/public-program/program-source.ts";
import { requireSourceStructure } from "../publish/source/check-structure.ts";
import { type NamedPrograms, ownersOf } from "../publish/source/find-programs.ts";
import { statesQuery } from "../publish/source/program-queries.ts";
import { type ReadProgram, readProgram, readPrograms } from "../publish/source/read-programs.ts";
import { readTenantList } from "../publish/source/read-tenants.ts";
import type { SourceProblem } from "../publish/source/source-problem.ts";
import { tryReading } from "../publish/source/tenant-rows.ts";
import { readElsewhere } from "./facts/asked-database.ts";

export type ProgramPreview = ReturnType<typeof previewOf>;

/** What a build would publish for a tenant, as far as a sample shows; documented in docs/json.md. */
export type SourcePreview = Awaited<ReturnType<typeof previewSource>>;

/** A sample of this size takes a tenth of a second, and shows which fields a company never fills. */
const maxSampled = 200;

/**
 * P106: maps programs as a build does (`checkedProgram`), without a store. Throws `source_contract` when the
 * views are not as they should be, and `not_found` for a tenant or program that the source does not have.
 * Expects a transaction.
 */
export async function previewSource(
  client: SourceClient,
  rules: ContentRules,
  wish: { readonly tenantId?: TenantId | undefined; readonly programId?: string | undefined },
) {
  await requireSourceStructure(client);
  const { tenants } = await readTenantList(client);
  const tenantId = wantedTenant(tenants, wish.tenantId);
  const asked =
    wish.programId === undefined ? undefined : await readAsked(client, tenantId, wish.programId, rules);
  const { programIds, ...counts } = await samplePrograms(client, tenantId, maxSampled);
  const groups = new FindingGroups();
  let filled = 0n;
  const compared = new Map<string, string>();
  const sampled = new Set<string | null>();
  let published = 0;
  let shown = asked;
  for await (const batch of readPrograms(client, tenantId, rules.limits, { only: programIds })) {
    for (const read of batch) {
      const outcome = checkedProgram(read, rules);
      groups.addProgram(tenantId, read, outcome);
      sampled.add(read.source.programId);
      const preview = previewOf(read, outcome);
      if (outcome.kind === "published") {
        published += 1;
        compared.set(outcome.programId, outcome.data.name);
        filled |= publicFacts(outcome.data).parts;
      }
      if (asked === undefined && shown?.outcome !== "published") {
        if (shown === undefined || outcome.kind === "published") shown = preview;
      }
    }
  }
  await addSharedSample(client, tenantId, compared, groups);
  const findings: readonly SourceProblem[] = groups.problems;
  return {
    tenantId,
    tenants: tenants.length,
    program: shown ?? null,
    programs: { ...counts, sampled: sampled.size, published },
    neverFilled: published === 0 ? [] : neverFilled(filled),
    findings,
  };
}

/** P56: the failure names the nearest tenant. */
function wantedTenant(tenants: readonly TenantId[], wanted: TenantId | undefined): TenantId {
  const found = tenants.find((tenantId) => wanted === undefined || tenantId === wanted);
  if (found !== undefined) return found;
  const unlisted = `The source does not list the tenant ${wanted}.${didYouMeanLonger(wanted ?? "", tenants)}`;
  const none = "The source lists no tenant that could be built; `source check` says what is wrong.";
  throw new Failure("not_found", wanted === undefined ? none : unlisted);
}

async function readAsked(
  client: SourceClient,
  tenantId: TenantId,
  programId: string,
  rules: ContentRules,
): Promise<ProgramPreview> {
  const read = await readProgram(client, tenantId, programId, rules.limits);
  if (read !== undefined) return previewOf(read, checkedProgram(read, rules));
  const [near] = await readElsewhere(client, programId);
  const hint = near && ` There is ${shownId(near.programId)} of tenant ${shownId(near.tenantId)}.`;
  const missing = `Tenant ${tenantId} has no program ${shownId(programId)} in the source.`;
  throw new Failure("not_found", `${missing}${hint ?? ""}`);
}

function previewOf({ source }: ReadProgram, program: CheckedProgram) {
  const { programId } = source;
  const { kind: outcome } = program;
  const state = program.kind === "unpublished" ? program.state : null;
  const document: ProgramDetailResponse | null =
    program.kind === "published" ? JSON.parse(program.rendered.detail) : null;
  const problems = program.kind === "unpublished" ? [] : program.problems.map(reportedProblem);
  return { programId, outcome, state, document, roomPrices: roomPricesOf(source, document), problems };
}

/**
 * D133: each room price of the views and what is published of it; the legacy price where no row gave one.
 */
function roomPricesOf(
  { roomPrices, legacyPrice }: ProgramSource,
  document: ProgramDetailResponse | null,
): readonly PreviewedPrice[] {
  if (document === null) return [];
  const rooms = [...document.data.prices.rooms];
  const given = roomPrices.map(([occupancy, amount]) => {
    const at = rooms.findIndex((room) => room.occupancy === occupancy && room.amount === Number(amount));
    const [published = null] = at < 0 ? [] : rooms.splice(at, 1);
    return { view: "room_prices" as const, occupancy, amount, published };
  });
  const legacy = { view: "programs", occupancy: null, amount: legacyPrice } as const;
  return [...given, ...rooms.map((published) => ({ ...legacy, published }))];
}

interface PreviewedPrice {
  readonly view: "room_prices" | "programs";
  readonly occupancy: number | null;
  /** As the view has it. */
  readonly amount: string | null;
  readonly published: ProgramDetailResponse["data"]["prices"]["rooms"][number] | null;
}

const place = { view: "programs", column: "tenant_id" };

/**
 * P144: warns of programs of the sample that another tenant has with the same id and name. `sample`: those
 * that would be published. If other tenants' rows cannot be read, the warning says so.
 */
async function addSharedSample(
  client: SourceClient,
  tenantId: TenantId,
  sample: NamedPrograms,
  groups: FindingGroups,
): Promise<void> {
  if (sample.size < minPrograms) return;
  const add = (code: "programs_shared" | "shared_unknown", value: string, count?: number): void =>
    groups.add(code, place, { tenantId, programId: null, value }, count);
  const asked = await tryReading(client, async () => {
    // Somebody waits for the preview.
    await limitWaiting(client, { statementMs: 10_000 });
    return await ownersOf(client, tenantId, sample);
  });
  if ("error" in asked) return add("shared_unknown", asked.error.message);
  for (const { tenantId: other, programs } of asked.result.owners) {
    if (programs < minPrograms) break;
    add(
      "programs_shared",
      `${programs} of ${sample.size} program(s) looked at as ${other} has them`,
      programs,
    );
  }
}

/**
 * The fields that no document has a value for (`prices.rooms[].amount`), in the order of the wire, with the
 * columns that they come from. An empty list or object is named without its fields.
 */
function neverFilled(filled: bigint) {
  const places = new Set(placesOf(filled));
  const empty: string[] = [];
  for (const [place, field] of publicParts.entries()) {
    const isInside = empty.some((outer) => field.startsWith(`${outer}.`) || field.startsWith(`${outer}[]`));
    // A capacity of 0 places is no field that a company never fills.
    if (!isInside && !places.has(place) && field !== "capacity.total") empty.push(field);
  }
  return empty.map((field) => ({ field, ...sourcePlace(field) }));
}

/** The view and column of a public field, or of the first part of it that has one. */
function sourcePlace(field: string): ProblemPlace {
  const path = field
    .replace(/^accommodation(\.stays)?(?=\[|$)/, "hotels")
    .replace(/^staff\.teachers/, "staff");
  const part = publicFields.find((other) => other.startsWith(`${field}.`)) ?? field;
  const places = [path, `${path}[]`, part, `${part}[]`].map(problemPlace);
  return places.find(({ view }) => view !== null) ?? { view: null, column: null };
}

/**
 * Chooses some of a tenant's programs, spread evenly over their ids, the same each time. Candidates are those
 * that a build would publish or refuse, the latter because their state is `unknown`. A tenant without
 * candidates gives its first program, if it has one.
 */
async function samplePrograms(client: SourceClient, tenantId: TenantId, limit: number) {
  const rows = await rowsOf<[string | null, string | null]>(client, statesQuery, [tenantId]);
  const programs = rows.flatMap(([id, state]) => (id === null ? [] : [{ id, kind: lifecycle(state).kind }]));
  const idsOf = (kinds: readonly string[]): readonly string[] =>
    [...new Set(programs.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id))].sort();
  const candidates = idsOf(["publishable", "unknown"]);
  const step = Math.max(1, candidates.length / limit);
  const chosen = candidates.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  return {
    total: rows.length,
    candidates: candidates.length,
    unknown: idsOf(["unknown"]).length,
    programIds: candidates.length > 0 ? chosen : idsOf(["unpublished"]).slice(0, 1),
  };
}
