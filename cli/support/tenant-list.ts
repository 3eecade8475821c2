import { asFailure } from "../../core/failure.ts";
import { isTenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { Reader } from "../output/words.ts";
import type { TenantRow } from "../publish/source/read-tenants.ts";
import { registryReading } from "./facts/registry.ts";
import { readTenants } from "./facts/tenants.ts";
import { type JudgedTenants, judgedTenants } from "./judgement/tenant.ts";

/** What `tenant list` adds to the state of all tenants: what the source says of them. */
export interface TenantList {
  /** By the id as the source writes it; `null` when the source could not be asked. */
  readonly names: ReadonlyMap<string, string | null> | null;
  /** Why each side could not be asked; `null` when it was. */
  readonly away: Readonly<Record<"source" | "store" | "tokens", string | null>>;
}

/** The tenants of source, store and tokens, also removed ones. A source that cannot be asked hides no other side. */
export async function listTenants(
  store: ObjectStore,
  askSource: () => Promise<readonly TenantRow[]>,
  reader: Reader,
  signal: AbortSignal,
): Promise<{ readonly report: JudgedTenants; readonly list: TenantList }> {
  const [source, keys] = await Promise.all([
    askSource().then(namesOf, (error: unknown) => {
      const { code, message } = asFailure(error);
      if (signal.aborted || code === "internal") throw error;
      return message;
    }),
    registryReading(store),
  ]);
  const names = typeof source === "string" ? null : source;
  const tokens = keys.kind === "read" ? keys.registry.tokens : [];
  const also = [...(names?.keys() ?? []), ...tokens.map(({ tenantId }) => tenantId)].filter(isTenantId);
  const reading = await readTenants({ store, also, signal });
  const away = {
    source: typeof source === "string" ? source : null,
    store: null,
    tokens: keys.kind === "read" ? null : keys.reason,
  };
  return { report: judgedTenants(reading, reader), list: { names, away } };
}

/** A row without an id is no tenant (D130). `source check` and builds report it. */
function namesOf(rows: readonly TenantRow[]): ReadonlyMap<string, string | null> {
  return new Map(rows.flatMap(({ tenantId, name }) => (tenantId === null ? [] : [[tenantId, name]])));
}
