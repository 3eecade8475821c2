import { asFailure, Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { isAnswer } from "../../database/source-client.ts";
import { didYouMeanLonger } from "../../output/words.ts";
import { hasPointer, inShard, type Shard, storedTenants } from "../snapshot/stored-tenants.ts";
import { requireSourceStructure } from "../source/check-structure.ts";
import { isTenantListed, readTenantList } from "../source/read-tenants.ts";
import type { ReadAgain } from "../tenant/build-context.ts";
import { type RunSources, runProblem, tenantProblem } from "./run-findings.ts";

/** Which tenants a run builds. `notified`: those that a notification named, if the source lists them. */
export type WantedTenants =
  | { readonly kind: "all"; readonly shard?: Shard | undefined }
  | { readonly kind: "asked" | "notified"; readonly tenantIds: readonly TenantId[] };

/** The tenants that a run builds, and why it cannot build some of them. */
export interface ChosenTenants {
  /** P130: each tenant, with why it may not be read, if so: then only stated withdrawals are published. */
  readonly tenants: ReadonlyMap<TenantId, Failure | undefined>;
  /** Why the run as a whole fails. */
  readonly failure?: Failure | undefined;
  /** P13: live tenants that the source lists no more; `undefined` unless the run looked for them. */
  readonly vanished?: readonly TenantId[];
}

export interface TenantChoice extends RunSources {
  readonly readAgain: ReadAgain;
  readonly wanted: WantedTenants;
  readonly sandbox: TenantId | undefined;
  readonly allowVanished: boolean;
}

/** D40: the tenants to build, each once and well formed. The `sandbox` is none of them (P97). */
export async function chooseTenants(choice: TenantChoice): Promise<ChosenTenants> {
  const { store, wanted, sandbox, removed, problems, signal } = choice;
  // The run of a notified tenant neither checks the views nor reads the list of all tenants.
  if (wanted.kind === "notified") return { tenants: await lookedUp(choice, wanted.tenantIds) };
  const structure = await ask(choice, requireSourceStructure);
  const failure = structure?.code === "source_contract" ? structure : undefined;
  if (structure !== undefined && failure === undefined) {
    problems.add(runProblem("source_unasked", structure.message));
  }
  // Each tenant's failure has the first problem only. The run names all problems, and their fixes.
  const broken = failure && new Failure(failure.code, failure.message.split("\n").slice(0, 2));
  // D40: a run of some tenants does not report what is wrong with the list.
  if (wanted.kind !== "all") return { tenants: await lookedUp(choice, wanted.tenantIds, broken), failure };
  const list = await ask(choice, readTenantList);
  if (list instanceof Failure) {
    if (broken === undefined) problems.add(runProblem("tenants_unreadable", list.message));
    const stored: TenantId[] = [];
    for await (const id of storedTenants(store, signal))
      if (!removed.has(id) && inShard(id, wanted.shard)) stored.push(id);
    return { tenants: await lookedUp(choice, stored, broken), failure };
  }
  for (const problem of list.problems) problems.add(tenantProblem(problem));
  if (sandbox !== undefined && list.tenants.includes(sandbox)) {
    problems.add(runProblem("tenant_is_sandbox", sandbox));
  }
  const { refusal, vanished } = await vanishedTenants(choice, new Set(list.tenants), wanted.shard);
  const own = list.tenants.filter((id) => id !== sandbox && inShard(id, wanted.shard));
  const tenants = new Map(own.map((id) => [id, broken ?? refusal] as const));
  return { tenants, failure: failure ?? refusal, vanished };
}

/**
 * P130: looks each tenant up by itself. One that cannot be looked up may not be read; `broken`: nor may any.
 * Throws `not_found` when somebody asked for a tenant that the source does not list.
 */
async function lookedUp(
  choice: TenantChoice,
  tenantIds: readonly TenantId[],
  broken?: Failure,
): Promise<ChosenTenants["tenants"]> {
  const { wanted, sandbox, removed, problems } = choice;
  const tenants = new Map<TenantId, Failure | undefined>();
  for (const tenantId of tenantIds) {
    const isListed = broken ?? (await ask(choice, (client) => isTenantListed(client, tenantId)));
    if (wanted.kind === "asked" && (tenantId === sandbox || isListed === false)) {
      throw await unlisted(choice, tenantId);
    }
    if (tenantId === sandbox) {
      if (isListed === true) problems.add(runProblem("tenant_is_sandbox", tenantId));
    } else if (isListed === false) {
      // P193: a removed tenant is not missed.
      if (!removed.has(tenantId)) problems.add(runProblem("tenant_vanished", tenantId));
    } else tenants.set(tenantId, isListed instanceof Failure ? isListed : undefined);
  }
  return tenants;
}

async function unlisted(choice: TenantChoice, tenantId: TenantId): Promise<Failure> {
  const { sandbox } = choice;
  if (tenantId === sandbox) {
    const text = `${sandbox} is the sandbox, which no build reads; nothing was built. \`sandbox init\` publishes it.`;
    return new Failure("not_found", text);
  }
  const list = await ask(choice, readTenantList);
  const hint = didYouMeanLonger(tenantId, list instanceof Failure ? [] : list.tenants);
  return new Failure(
    "not_found",
    `The source's view partner_source.tenants does not list ${tenantId}. Nothing was built; check --tenant.${hint}`,
  );
}

/** P130: a failure is an answer, so one bad row stops no tenant. Throws when no database answers. */
async function ask<Result>(
  { pool, readAgain }: Pick<TenantChoice, "pool" | "readAgain">,
  read: (client: SourceClient) => Promise<Result>,
): Promise<Result | Failure> {
  try {
    return await pool.withReading(read);
  } catch (error) {
    if (await readAgain(read, error)) return await ask({ pool, readAgain }, read);
    const failure = asFailure(error);
    if (failure.code === "source_contract" || isAnswer(failure.cause)) return failure;
    throw failure;
  }
}

/**
 * P13: the live tenants that the source does not list any more, the sandbox and removed ones aside. A run is
 * refused when that is most of them: more often a view filters them out than a company ends them all at once.
 */
async function vanishedTenants(
  { store, removed, sandbox, allowVanished, signal }: TenantChoice,
  listed: ReadonlySet<TenantId>,
  shard: Shard | undefined,
): Promise<{ readonly refusal: Failure | undefined; readonly vanished: readonly TenantId[] }> {
  let present = 0;
  const vanished: TenantId[] = [];
  for await (const tenantId of storedTenants(store, signal)) {
    if (tenantId === sandbox || removed.has(tenantId) || !inShard(tenantId, shard)) continue;
    if (listed.has(tenantId)) present += 1;
    else if (await hasPointer(store, tenantId, signal)) vanished.push(tenantId);
  }
  if (listed.size === 0) return { refusal: emptySource, vanished };
  if (allowVanished || vanished.length < minVanished || vanished.length <= present) {
    return { refusal: undefined, vanished };
  }
  const named = vanished.slice(0, maxNamed).join(", ") + (vanished.length > maxNamed ? ", ..." : "");
  const refusal = new Failure(
    "vanished_guard",
    `Of ${present + vanished.length} live tenants, ${vanished.length} are not in the source any more: ${named}. Nothing was published but stated withdrawals. ` +
      "Look at the view partner_source.tenants and at row-level security. If this is right, build with --allow-vanished, or end them with `tenant remove`.",
  );
  return { refusal, vanished };
}

const minVanished = 3;
const maxNamed = 5;

const emptySource = new Failure(
  "source_contract",
  "The view partner_source.tenants gives no tenant, so nothing was built. Look at its condition, at row-level security, and whether DATABASE_URL names the right database; `partner-programs source check` tells more.",
);
