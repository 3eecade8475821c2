import { LRUCache } from "lru-cache";
import { confirmedAtOf } from "../../../core/documents/confirmations.ts";
import type { Current } from "../../../core/documents/current.ts";
import type { Manifest } from "../../../core/documents/manifest.ts";
import type { RegisteredToken, TokenRegistry } from "../../../core/documents/token-registry.ts";
import { inRounds } from "../../../core/ground/bounded-work.ts";
import { asFailure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { noStore, readStoreIdentity } from "../../../core/process/open-store.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";
import { knownSandbox } from "../../publish/snapshot/sandbox-tenant.ts";
import { type LiveReading, readLive, readLiveManifest } from "../../publish/snapshot/stored-snapshot.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import type { Answers, RecentAnswers } from "../../read/gateway-log/recent-answers.ts";
import { type LastBuild, orFault, readLastBuilds } from "./last-builds.ts";

export interface TenantFacts extends LastBuild {
  readonly tenantId: string;
  /** `null` when partners get 500: nothing was ever published, or what is there is damaged (see `fault`). */
  readonly live: LiveFacts | null;
  readonly fault: string | null;
  /** The hold, also of a tenant whose manifest is damaged. */
  readonly hold: Current["hold"];
  readonly removal: Removal | null;
  /** The sandbox's programs come with the generator: it is published once, and no source lists it (P97). */
  readonly isSandbox: boolean;
  /** `null` when the list of access keys could not be read, or was not asked for. */
  readonly keys: readonly RegisteredToken[] | null;
  /** The gateways' answers to the tenant's partners in the last hour; `null` without a log. */
  readonly answers: Answers | null;
}

/** A tenant was removed. `openKeys` counts keys that an interrupted removal left working. */
interface Removal {
  /** RFC 3339. */
  readonly removedAt: string;
  readonly openKeys: number;
}

export type LiveFacts = ReturnType<typeof liveFacts>;
export type TenantsReading = Awaited<ReturnType<typeof readTenantFacts>>;

export interface TenantsQuestion {
  readonly store: ObjectStore;
  /** The one tenant to read. `undefined` asks for all tenants that the store or a run knows. */
  readonly only?: TenantId | undefined;
  /** What is live of that tenant, when it was read already. */
  readonly live?: LiveReading<LiveHead> | undefined;
  /** Reads the access keys only if this tenant was removed: they tell whether the removal ended. */
  readonly keysIfRemoved?: TenantId;
  /** Tenants that another side knows. With them come removed ones of which nothing is stored. */
  readonly also?: readonly TenantId[];
  /** What the gateways' log says of the last hour; `undefined` when no log was given. */
  readonly log?: RecentAnswers | undefined;
  readonly signal: AbortSignal;
}

/** Whole manifests in memory at a time. */
const maxParallelReads = 8;

/**
 * Reads the facts about tenants, by their ids: each one's pointer, and what the store has once for all of
 * them. `gateways`: what their log says of all tenants together (`null` without a log): requests of the last
 * hour whose access key the gateway did not know, and an answer of the last minute whose snapshot it could
 * not confirm (W162).
 */
export async function readTenantFacts(question: TenantsQuestion) {
  const { store, only, also, log, signal } = question;
  const tenantIds = new Set<TenantId>(only === undefined ? [] : [only]);
  if (only === undefined) for await (const tenantId of storedTenants(store, signal)) tenantIds.add(tenantId);
  const readingRemoved = orFault(new Map<TenantId, string>(), signal, () =>
    readRemovedTenants(store, signal),
  );
  const readKeys = async (): Promise<RegistryReading> => {
    if (question.keysIfRemoved === undefined) return await registryReading(store);
    return (await readingRemoved).value.has(question.keysIfRemoved) ? await registryReading(store) : unasked;
  };
  const [builds, keys, sandbox, removed] = await Promise.all([
    readLastBuilds(store, signal),
    readKeys(),
    orFault(undefined, signal, () => knownSandbox(store, signal)),
    readingRemoved,
  ]);
  const tokensOf = new Map<string, RegisteredToken[]>();
  for (const token of keys.kind === "read" ? keys.registry.tokens : []) {
    const own = tokensOf.get(token.tenantId) ?? [];
    own.push(token);
    tokensOf.set(token.tenantId, own);
  }
  // A tenant whose first build failed has no folder, but people ask about it most of all. Nor has one whose
  // files are lost, and the partners who still have its keys get 500.
  const others = also === undefined ? keyed(keys) : [...also, ...removed.value.keys()];
  const named = only === undefined ? [...builds.named, ...others] : [];
  for (const tenantId of named) tenantIds.add(tenantId);
  const tenants = await inRounds([...tenantIds].sort(), maxParallelReads, factsOf);
  const gateways = log && { state: log.state, anonymous: log.of(null), unconfirmed: log.unconfirmed };
  const unread = keys.kind === "read" ? [] : [`Access keys are not looked at: ${keys.reason}`];
  const allFaults = [...builds.faults, ...removed.faults, ...sandbox.faults, ...unread];
  return { tenants, gateways: gateways ?? null, faults: allFaults };

  async function factsOf(tenantId: TenantId): Promise<TenantFacts> {
    const build = builds.of(tenantId);
    const isSandbox = tenantId === sandbox.value;
    const reading = question.live ?? (await readLiveHead(store, tenantId, signal));
    const pointer = reading.kind === "none" ? null : reading.pointer;
    const own = keys.kind === "read" ? (tokensOf.get(tenantId) ?? []) : null;
    return {
      tenantId,
      ...build,
      // A run of all tenants may have been before `sandbox init`, and no source lists the sandbox.
      notInSource: isSandbox ? null : build.notInSource,
      isSandbox,
      live: reading.kind === "read" ? liveFacts(reading, build) : null,
      fault: reading.kind === "damaged" ? reading.reason : null,
      hold: pointer?.current.hold ?? null,
      removal: removalOf(tenantId, removed.value, own ?? []),
      keys: own,
      answers: log?.of(tenantId) ?? null,
    };
  }
}

/** The tenants that have access keys which nobody revoked. */
function keyed(keys: RegistryReading): readonly TenantId[] {
  const tokens = keys.kind === "read" ? keys.registry.tokens : [];
  return tokens.filter(({ revokedAt }) => revokedAt === null).map(({ tenantId }) => tenantId);
}

/** `tokens`: of any tenants. `null`: the tenant was not removed. */
export function removalOf(
  tenantId: string,
  removed: ReadonlyMap<string, string>,
  tokens: readonly RegisteredToken[],
): Removal | null {
  const removedAt = removed.get(tenantId);
  const isOpen = (token: RegisteredToken): boolean => token.tenantId === tenantId && token.revokedAt === null;
  return removedAt === undefined ? null : { removedAt, openKeys: tokens.filter(isOpen).length };
}

/** What a manifest says of all its programs together. */
interface LiveHead extends Pick<Manifest, "generatedAt" | "contentAt"> {
  readonly programs: { readonly count: number };
}

/**
 * `generatedAt`: when the source was read; `contentAt`: when it was read for what partners see, which is
 * earlier when the last build only took out withdrawn programs; `confirmedAt`: when a build last found that
 * this snapshot is what the source says, `null` when that is not known.
 */
function liveFacts(
  { pointer, content }: Extract<LiveReading<LiveHead>, { readonly kind: "read" }>,
  { confirmation }: LastBuild,
) {
  const { snapshotId, generation, publishedAt } = pointer.current;
  const { generatedAt, contentAt = generatedAt } = content;
  const { count: programs } = content.programs;
  const confirmedAt = confirmedAtOf(confirmation, snapshotId);
  return { snapshotId, generation, generatedAt, contentAt, programs, publishedAt, confirmedAt };
}

/**
 * The heads of manifests that were read whole, by digest, so that each view of a page reads one object a
 * tenant. They are kept for a minute only: a manifest that is damaged meanwhile must not look whole for long.
 */
const heads = new WeakMap<ObjectStore, LRUCache<string, LiveHead>>();

async function readLiveHead(store: ObjectStore, tenantId: TenantId, signal: AbortSignal) {
  return await readLive(store, tenantId, signal, async (pointer) => {
    const known = heads.get(store) ?? new LRUCache<string, LiveHead>({ max: 20_000, ttl: 60_000 });
    heads.set(store, known);
    const key = `${tenantId} ${pointer.manifestSha256}`;
    const head = known.get(key);
    if (head !== undefined) return head;
    const { generatedAt, contentAt, programs } = await readLiveManifest(store, pointer, signal);
    const read = { generatedAt, contentAt, programs: { count: programs.count } };
    known.set(key, read);
    return read;
  });
}

/** The list of access keys, or the reason why it could not be read. A log explains much even without it. */
export type RegistryReading =
  | { readonly kind: "read"; readonly registry: TokenRegistry }
  | { readonly kind: "unavailable"; readonly reason: string };

const unasked: RegistryReading = { kind: "unavailable", reason: "They were not asked for." };

/** Where there is no store, nobody can say that a key was never issued (W160). */
export async function registryReading(store: ObjectStore): Promise<RegistryReading> {
  const { readRegistry } = await import("../../read/administration/read-registry.ts");
  try {
    const [{ registry }, identity] = await Promise.all([readRegistry(store), readStoreIdentity(store)]);
    if (identity === undefined) throw noStore(store.address);
    return { kind: "read", registry };
  } catch (error) {
    return { kind: "unavailable", reason: asFailure(error).message };
  }
}
