import type { RegisteredToken } from "../../../../core/token-registry.ts";
import { keyActivity } from "../../../operate/log-index/key-activity.ts";
import { readRegistry } from "../../../operate/tokens/edit-registry.ts";
import type { Inspection } from "../inspection.ts";
import type { Page } from "../page.ts";
import { route } from "../route.ts";
import { tokensPage } from "../tokens-page.ts";

export const tokensRoute = route({
  pattern: "/tokens",
  parse: (_, query) => query.get("tenant")?.trim() || undefined,
  page,
});

/** A page is read by a person. */
const maxShown = 200;

async function page(tenantId: string | undefined, { store, log, now, signal }: Inspection): Promise<Page> {
  const { registry } = await readRegistry(store);
  const own = registry.tokens.filter((token) => tenantId === undefined || token.tenantId === tenantId);
  const tokens = own.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)).slice(0, maxShown);
  if (log === undefined) return tokensPage({ tenantId, tokens, total: own.length, used: null }, now());
  await log.refresh();
  const ids = tokens.map(({ tokenId }) => tokenId);
  const activity = await keyActivity(log.index, ids, signal);
  const used = { activity, state: log.state() };
  return tokensPage({ tenantId, tokens, total: own.length, used }, now());
}

/** Those that are revoked come last of their tenant's. */
function sortKey({ tenantId, revokedAt, name, tokenId }: RegisteredToken): string {
  return [tenantId, revokedAt === null ? "0" : "1", name ?? "\uffff", tokenId].join("\u0000");
}
