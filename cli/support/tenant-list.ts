import { asFailure, Failure } from "../../core/failure.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { printable } from "../../core/printable.ts";
import { type RegisteredToken, tokenStatus } from "../../core/token-registry.ts";
import { readRegistry } from "../operate/tokens/edit-registry.ts";
import { numberText } from "../output/counted.ts";
import type { Layout } from "../output/layout.ts";
import { numbers, table } from "../output/table.ts";
import { exactTime, type Reader } from "../output/times.ts";
import { knownSandbox } from "../publish/sandbox/sandbox-document.ts";
import type { TenantRow } from "../publish/source/read-tenants.ts";
import { readTenants } from "./facts/tenants.ts";
import { type Concern, concernKinds } from "./judgement/concern.ts";
import { type JudgedTenant, judgedTenants } from "./judgement/tenant.ts";

/** A tenant that the source, the store or the tokens know. A value is `null` when its side could not be asked. */
export interface TenantLine {
  /** The id as the source writes it. */
  readonly tenantId: string;
  readonly name: string | null;
  readonly isInSource: boolean | null;
  /** Also `null` when nothing is published, or the published data is damaged. */
  readonly live: Pick<
    NonNullable<JudgedTenant["live"]>,
    "snapshotId" | "generation" | "publishedAt" | "programs"
  > | null;
  readonly fault: string | null;
  readonly activeTokens: number | null;
  readonly removedAt: string | null;
  readonly isSandbox: boolean;
  readonly concerns: readonly Concern[];
}

export interface TenantList {
  /** By tenant id. */
  readonly tenants: readonly TenantLine[];
  /** Why each side could not be asked; `null` when it was. */
  readonly away: Readonly<Record<"source" | "store" | "tokens", string | null>>;
}

/**
 * The tenants of source, store and tokens. When one of the three cannot be asked, the others are shown. Throws when none can be
 * asked.
 */
export async function listTenants(
  store: ObjectStore,
  askSource: () => Promise<readonly TenantRow[]>,
  reader: Reader,
  signal: AbortSignal,
): Promise<TenantList> {
  const [source, stored, keys, sandbox] = await Promise.all([
    side(askSource, signal),
    side(() => readTenants({ store, withRemoved: true, now: reader.now, signal }), signal),
    side(async () => (await readRegistry(store)).registry.tokens, signal),
    side(() => knownSandbox(store, signal), signal),
  ]);
  const away = { source: reasonOf(source), store: reasonOf(stored), tokens: reasonOf(keys) };
  if (Object.values(away).every((reason) => reason !== null)) throw stored;
  // A row without an id is no tenant (D131). `source check` and builds report it.
  const listed = source instanceof Failure ? [] : source;
  const names = new Map(
    listed.flatMap(({ tenantId, name }) => (tenantId === null ? [] : [[tenantId, name]])),
  );
  const judged = stored instanceof Failure ? [] : judgedTenants(stored, reader).tenants;
  const byId = new Map(judged.map((tenant) => [tenant.tenantId, tenant]));
  const active = keys instanceof Failure ? undefined : activeByTenant(keys, reader.now);
  const ids = new Set([...names.keys(), ...byId.keys(), ...(active?.keys() ?? [])]);
  const tenants = [...ids].sort().map((tenantId): TenantLine => {
    const tenant = byId.get(tenantId);
    const { live = null, fault = null, removal = null, concerns = [] } = tenant ?? {};
    return {
      tenantId,
      name: names.get(tenantId) ?? null,
      isInSource: away.source === null ? names.has(tenantId) : null,
      live: live && {
        snapshotId: live.snapshotId,
        generation: live.generation,
        publishedAt: live.publishedAt,
        programs: live.programs,
      },
      fault,
      activeTokens: active === undefined ? null : (active.get(tenantId) ?? 0),
      removedAt: removal?.removedAt ?? null,
      isSandbox: tenantId === sandbox,
      concerns,
    };
  });
  return { tenants, away };
}

/** The answer of one side, or the failure of asking it. */
async function side<Value>(ask: () => Promise<Value>, signal: AbortSignal): Promise<Value | Failure> {
  return await ask().catch((error: unknown) => {
    if (signal.aborted) throw error;
    return asFailure(error);
  });
}

function reasonOf(value: unknown): string | null {
  return value instanceof Failure ? value.message : null;
}

function activeByTenant(tokens: readonly RegisteredToken[], now: Date): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) {
    const isActive = tokenStatus(token, now) === "active";
    counts.set(token.tenantId, (counts.get(token.tenantId) ?? 0) + (isActive ? 1 : 0));
  }
  return counts;
}

/** A line per tenant. A question mark stands for a value of a side that could not be asked. */
export function tenantListText({ tenants, away }: TenantList, layout: Layout): string {
  return table(
    [
      ...["TENANT", "NAME", "IN SOURCE", "LIVE SNAPSHOT", "PUBLISHED"],
      ...["PROGRAMS", "ACTIVE TOKENS"].map(numbers),
      "REMARK",
    ],
    tenants.map((tenant) => {
      const { live, activeTokens, isInSource } = tenant;
      const ofStore = (text: string | undefined): string => (away.store === null ? (text ?? "-") : "?");
      return [
        printable(tenant.tenantId),
        away.source === null ? printable(tenant.name ?? "-") : "?",
        isInSource === null ? "?" : isInSource ? "yes" : "no",
        ofStore(live?.snapshotId),
        ofStore(live === null ? undefined : exactTime(live.publishedAt, layout.zone)),
        ofStore(live === null ? undefined : numberText(live.programs)),
        activeTokens === null ? "?" : numberText(activeTokens),
        remark(tenant, layout),
      ];
    }),
    layout.columns,
  );
}

function remark({ removedAt, isSandbox, isInSource, concerns }: TenantLine, { style, zone }: Layout): string {
  const words = concerns.map(({ kind, severity }) => {
    const { title } = concernKinds[kind];
    if (kind !== "removed" || removedAt === null) return style[severity](title);
    const back = isInSource === true ? ", in the source again" : "";
    return `removed ${exactTime(removedAt, zone)}${back}`;
  });
  if (isSandbox) words.unshift("sandbox");
  return words.length === 0 ? "-" : words.join(", ");
}
