import { asFailure } from "../../../core/failure.ts";
import { isTenantId, type TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";
import { readManifestHead } from "../../publish/snapshot/manifest-head.ts";
import { registryReading } from "../request/token-finding.ts";
import { type StatusReport, type TenantStatus, tenantStatus } from "../tenant-status.ts";
import { usualInterval } from "../usual-interval.ts";
import { type HeldBy, heldBy } from "./held-by.ts";
import {
  type EndingToken,
  type HealthFacts,
  type TenantHealth,
  tenantHealth,
  worstFirst,
} from "./tenant-health.ts";

export interface HealthReport {
  /** Worst first. */
  readonly tenants: readonly TenantHealth[];
  readonly statuses: ReadonlyMap<string, TenantStatus>;
  readonly usualIntervalMs: number | null;
  /** What could not be read, in words. */
  readonly faults: readonly string[];
}

/** Tenants looked at side by side. */
const maxParallelReads = 16;
/** Manifests of earlier snapshots that are begun to be read, of all tenants together, and of one. */
const maxEarlier = 1000;
const maxEarlierEach = 5;

/** P77: how all tenants stand, or the one. */
export async function readHealth(
  store: ObjectStore,
  only: TenantId | undefined,
  now: Date,
  signal: AbortSignal,
): Promise<HealthReport> {
  const [report, usualIntervalMs, registry] = await Promise.all([
    tenantStatus(store, only, now, signal),
    usualInterval(store, now, signal),
    registryReading(store),
  ]);
  const tokens = registry.kind === "read" ? registry.registry.tokens : [];
  const each = Math.min(maxEarlierEach, Math.floor(maxEarlier / Math.max(1, report.tenants.length)));
  const tenants: TenantHealth[] = [];
  for (const round of rounds(report)) {
    const judged = round.map(async (status) => {
      const mostPrograms = await mostProgramsBefore(store, status, each, signal);
      const holder = await holderOf(store, status, signal);
      const endingTokens = endingTokensOf(tokens, status.tenantId, now);
      return tenantHealth({ status, mostPrograms, holder, endingTokens }, now);
    });
    tenants.push(...(await Promise.all(judged)));
  }
  const unread = registry.kind === "read" ? [] : [`Access keys are not looked at: ${registry.reason}`];
  return {
    tenants: worstFirst(tenants),
    statuses: new Map(report.tenants.map((status) => [status.tenantId, status])),
    usualIntervalMs,
    faults: [...report.faults, ...unread],
  };
}

function* rounds({ tenants }: StatusReport): Generator<readonly TenantStatus[]> {
  for (let at = 0; at < tenants.length; at += maxParallelReads)
    yield tenants.slice(at, at + maxParallelReads);
}

/** Goes from the live snapshot to the one before it, and so on. What is damaged or pruned ends it: nothing depends on it. */
async function mostProgramsBefore(
  store: ObjectStore,
  { tenantId, live }: TenantStatus,
  steps: number,
  signal: AbortSignal,
): Promise<HealthFacts["mostPrograms"]> {
  if (live === null || steps === 0 || !isTenantId(tenantId)) return null;
  let most: HealthFacts["mostPrograms"] = null;
  let head = await readHead(store, tenantId, live.snapshotId, signal);
  for (let step = 0; step < steps && head?.parent != null; step += 1) {
    head = await readHead(store, tenantId, head.parent, signal);
    if (head !== undefined && head.programs > (most?.programs ?? 0)) most = head;
  }
  return most;
}

async function holderOf(
  store: ObjectStore,
  { tenantId, hold }: TenantStatus,
  signal: AbortSignal,
): Promise<HeldBy | null> {
  return hold === null || !isTenantId(tenantId) ? null : await heldBy(store, tenantId, hold, signal);
}

async function readHead(store: ObjectStore, ...[tenantId, snapshotId, signal]: HeadParameters) {
  return await readManifestHead(store, tenantId, snapshotId, signal).catch((error: unknown) => {
    if (asFailure(error).code !== "corrupt_document") throw error;
    return undefined;
  });
}

type HeadParameters = Parameters<typeof readManifestHead> extends [unknown, ...infer Rest] ? Rest : never;

/** A token whose successor is there is the partner's to change; of one that ended long ago nobody is surprised. */
function endingTokensOf(
  tokens: readonly RegisteredToken[],
  tenantId: string,
  now: Date,
): readonly EndingToken[] {
  const replaced = new Set(
    tokens.flatMap(({ replaces, revokedAt }) => (revokedAt === null ? (replaces ?? []) : [])),
  );
  return tokens.flatMap(({ tokenId, name, expiresAt, revokedAt, tenantId: of }): readonly EndingToken[] => {
    if (of !== tenantId || revokedAt !== null || expiresAt === null || replaced.has(tokenId)) return [];
    const left = Date.parse(expiresAt) - now.getTime();
    return left < aheadMs && left > -behindMs ? [{ tokenId, name, expiresAt }] : [];
  });
}

const aheadMs = 14 * 86_400_000;
const behindMs = 7 * 86_400_000;
