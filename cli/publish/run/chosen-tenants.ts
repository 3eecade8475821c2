import { asFailure, Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import type { SourceClient, SourcePool } from "../../database/connect.ts";
import { isEndedQuery } from "../../database/source-client.ts";
import { didYouMean } from "../../shell/nearest-name.ts";
import type { RemovedTenants } from "../snapshot/removed-tenants.ts";
import { keptTenants } from "../snapshot/stored-tenants.ts";
import { requireSourceStructure } from "../source/check-structure.ts";
import { isTenantListed, readTenantList } from "../source/read-tenants.ts";
import { runProblem, tenantProblem } from "./run-findings.ts";
import { inShard, type Shard } from "./shard.ts";
import { emptySource, liveTenants, vanishedRefusal } from "./vanished.ts";

/** Which tenants a run builds. `notified`: the tenant that a notification named, if the source lists it. */
export type WantedTenants =
  | { readonly kind: "all"; readonly shard?: Shard | undefined }
  | { readonly kind: "asked"; readonly tenantIds: readonly TenantId[] }
  | { readonly kind: "notified"; readonly tenantId: TenantId };

/** The tenants that a run builds, and why it cannot build some of them. */
export interface ChosenTenants {
  readonly tenants: readonly TenantId[];
  /** All tenants that the source lists; `undefined` where nobody asked for them. */
  readonly listed: readonly TenantId[] | undefined;
  /** P130: why the tenant may not be read: then nothing but stated withdrawals is published. */
  readonly unreadable: (tenantId: TenantId) => Failure | undefined;
  readonly failure: Failure | undefined;
  /** P13: the live tenants that the source does not list any more, where the run looked for them. */
  readonly vanished: readonly TenantId[];
}

export interface TenantChoice {
  readonly pool: SourcePool;
  readonly store: ObjectStore;
  readonly wanted: WantedTenants;
  readonly sandbox: TenantId | undefined;
  readonly removed: RemovedTenants;
  readonly allowVanished: boolean;
  /** Findings about the list of tenants are added here. */
  readonly problems: Problem[];
  readonly signal: AbortSignal;
}

/** A run that found nothing wrong, and did not ask for all tenants. */
const ofSome = { listed: undefined, unreadable: () => undefined, failure: undefined, vanished: [] };

/** D40: the tenants to build, each once and well formed. The `sandbox` is none of them (P98). */
export async function chosenTenants(choice: TenantChoice): Promise<ChosenTenants> {
  const { pool, store, wanted, sandbox, removed, problems, signal } = choice;
  if (wanted.kind === "notified") return await notifiedTenant(choice, wanted.tenantId);
  const check = await askSource(pool, requireSourceStructure);
  let failure: Failure | undefined;
  if ("failure" in check) {
    if (check.failure.code === "source_contract") failure = check.failure;
    else problems.push(runProblem("source_unasked", check.failure.message));
  }
  // Each tenant's failure has the first problem only. The run names all problems, and their fixes.
  const broken = failure && new Failure(failure.code, failure.message.split("\n").slice(0, 2));
  const listing = await askSource(pool, readTenantList);
  if ("failure" in listing) {
    if (broken === undefined) problems.push(runProblem("tenants_unreadable", listing.failure.message));
    const found = await tenantsOneByOne(choice, broken);
    return { ...ofSome, ...found, listed: wanted.kind === "all" ? found.tenants : undefined, failure };
  }
  const list = listing.answer;
  // P132: a run of some tenants does not report what is wrong with others.
  const ownProblems =
    wanted.kind === "all" ? list.problems : list.problems.filter(({ tenantId }) => isAsked(wanted, tenantId));
  problems.push(...ownProblems.map(tenantProblem));
  if (sandbox !== undefined && list.tenants.includes(sandbox)) {
    problems.push(runProblem("tenant_is_sandbox", sandbox));
  }
  const listed = list.tenants.filter((id) => id !== sandbox);
  if (wanted.kind === "asked") {
    const tenants = askedTenants(wanted.tenantIds, listed, sandbox);
    return { tenants, listed, unreadable: () => broken, failure, vanished: [] };
  }
  const { shard } = wanted;
  const known = new Set(list.tenants);
  const live = await liveTenants(store, { listed: known, removed, sandbox, shard }, signal);
  const vanished = choice.allowVanished ? undefined : vanishedRefusal(live);
  const refusal = known.size === 0 ? emptySource() : vanished;
  return {
    tenants: shard === undefined ? listed : listed.filter((id) => inShard(id, shard)),
    listed,
    unreadable: () => broken ?? refusal,
    failure: failure ?? refusal,
    vanished: live.vanished,
  };
}

/** Each of the tenants once. Throws `not_found` when the source does not list them all. */
function askedTenants(
  tenantIds: readonly TenantId[],
  listed: readonly TenantId[],
  sandbox: TenantId | undefined,
): readonly TenantId[] {
  const known = new Set(listed);
  const asked = [...new Set(tenantIds)];
  const unknown = asked.filter((tenantId) => !known.has(tenantId));
  if (unknown.length === 0) return asked;
  if (sandbox !== undefined && unknown.includes(sandbox)) {
    throw new Failure(
      "not_found",
      `${sandbox} is the sandbox, which no build reads; nothing was built. \`sandbox init\` publishes it.`,
    );
  }
  throw new Failure(
    "not_found",
    `The source's view partner_source.tenants does not list ${unknown.join(", ")}. ` +
      `Nothing was built; check --tenant.${didYouMean(unknown[0] ?? "", known)}`,
  );
}

/** The run of a notified tenant neither checks the views nor reads the list of all tenants. */
async function notifiedTenant(
  { pool, sandbox, problems }: TenantChoice,
  tenantId: TenantId,
): Promise<ChosenTenants> {
  const found = await askSource(pool, (client) => isTenantListed(client, tenantId));
  const isSandbox = tenantId === sandbox;
  const isListed = "answer" in found && found.answer;
  if (isSandbox && isListed) problems.push(runProblem("tenant_is_sandbox", tenantId));
  if (isSandbox) return { ...ofSome, tenants: [] };
  if ("failure" in found) return { ...ofSome, tenants: [tenantId], unreadable: () => found.failure };
  if (isListed) return { ...ofSome, tenants: [tenantId] };
  problems.push(runProblem("tenant_vanished", tenantId));
  return { ...ofSome, tenants: [] };
}

/**
 * P131: the tenants of the run when the source gives no list. The run looks up the published tenants one by one, and reads none
 * that it cannot look up. `broken`: why no tenant may be read.
 */
async function tenantsOneByOne(
  choice: TenantChoice,
  broken: Failure | undefined,
): Promise<Pick<ChosenTenants, "tenants" | "unreadable">> {
  const { pool, store, wanted, sandbox, removed, signal } = choice;
  const known: TenantId[] = wanted.kind === "asked" ? [...wanted.tenantIds] : [];
  if (wanted.kind === "all")
    for await (const tenantId of keptTenants(store, removed, signal)) known.push(tenantId);
  const failures = new Map<TenantId, Failure>();
  const tenants: TenantId[] = [];
  for (const tenantId of new Set(known)) {
    if (tenantId === sandbox) continue;
    const found =
      broken === undefined
        ? await askSource(pool, (client) => isTenantListed(client, tenantId))
        : { failure: broken };
    if ("failure" in found) failures.set(tenantId, found.failure);
    if ("failure" in found || found.answer) tenants.push(tenantId);
  }
  return { tenants, unreadable: (tenantId) => failures.get(tenantId) };
}

function isAsked(wanted: WantedTenants, tenantId: string | null): boolean {
  return wanted.kind === "asked" && wanted.tenantIds.some((id) => id === tenantId);
}

/**
 * Asks a question about all tenants of the source. P131: one bad row, lock or view may make it fail, and must not keep every
 * tenant from being built, so a failure is an answer. Throws when the database cannot be reached, because then no tenant can be
 * read.
 */
async function askSource<Result>(
  pool: SourcePool,
  ask: (client: SourceClient) => Promise<Result>,
): Promise<{ readonly answer: Result } | { readonly failure: Failure }> {
  try {
    return { answer: await pool.withReading(ask, { lockMs: maxLockedMs }) };
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code === "source_contract" || isEndedQuery(failure.cause)) return { failure };
    throw failure;
  }
}

/** Two such questions may come before the tenants' own readings, which wait for locks, too. All wait a minute at most (P130). */
const maxLockedMs = 15_000;
