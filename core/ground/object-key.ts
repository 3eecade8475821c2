import { Failure } from "./failure.ts";
import type { ProgramId, SnapshotId, TenantId } from "./ids.ts";

declare const brand: unique symbol;
/** A key that a function of this file made or accepted. */
export type ObjectKey = string & { readonly [brand]: "ObjectKey" };

/** The three kinds of responses in a snapshot. */
export type ResponseName =
  | { readonly kind: "list" }
  | { readonly kind: "legacy" }
  | { readonly kind: "detail"; readonly programId: ProgramId };

/** The store's identity (P160). */
export const storeKey = "store.json" as ObjectKey;
export const tokensKey = "auth/tokens.json" as ObjectKey;
export const tenantsPrefix = "tenants/";
export const runsPrefix = "runs/";
/** It lies beside the reports of runs. These are named by ids, so it cannot be taken for one. */
export const confirmedKey = "runs/confirmed.json" as ObjectKey;

/** What the last run made of each tenant. Gateways never read it. */
export const lastRunsKey = "runs/last.json" as ObjectKey;

/** Names the sandbox, the tenant whose programs come with the generator. Gateways never read it. */
export const sandboxKey = "runs/sandbox.json" as ObjectKey;

/** Names the removed tenants, and when each was removed. Gateways never read it. */
export const removedKey = "tenants/removed.json" as ObjectKey;

export const auditPrefix = "audit/";

/** A record of who changed what for partners. `begun`: stored before the change. */
export function auditKey(recordId: SnapshotId, state: "begun" | "ended"): ObjectKey {
  return `${auditPrefix}${recordId}${state === "begun" ? ".begun" : ""}.json` as ObjectKey;
}

export function runKey(runId: SnapshotId): ObjectKey {
  return `${runsPrefix}${runId}.json` as ObjectKey;
}

/** Every key of a tenant begins with this (P16). */
export function tenantPrefix(tenantId: TenantId): string {
  return `${tenantsPrefix}${tenantId}/`;
}

export function currentKey(tenantId: TenantId): ObjectKey {
  return `${tenantPrefix(tenantId)}current.json` as ObjectKey;
}

/** The generator's memory of the source. Gateways never read it. Without it a build only takes longer. */
export function sourceMemoryKey(tenantId: TenantId): ObjectKey {
  return `${tenantPrefix(tenantId)}source.json` as ObjectKey;
}

export function snapshotsPrefix(tenantId: TenantId): string {
  return `${tenantPrefix(tenantId)}snapshots/`;
}

export function manifestKey(tenantId: TenantId, snapshotId: SnapshotId): ObjectKey {
  return `${snapshotsPrefix(tenantId)}${snapshotId}/manifest.json` as ObjectKey;
}

/**
 * A mark beside a built snapshot. Only the existence of the object counts. `withdrawn`: the snapshot was
 * live, and a rollback replaced it. `condemned`: a prune will delete the snapshot, so it must not become live
 * again.
 */
export type SnapshotMark = "withdrawn" | "condemned";

export function markKey(tenantId: TenantId, snapshotId: SnapshotId, mark: SnapshotMark): ObjectKey {
  return `${snapshotsPrefix(tenantId)}${snapshotId}/${mark}.json` as ObjectKey;
}

/** The folder with the copy of the live snapshot for people. Gateways never read it. */
export function livePrefix(tenantId: TenantId): string {
  return `${tenantPrefix(tenantId)}live/`;
}

export function liveKey(tenantId: TenantId, name: ResponseName): ObjectKey {
  return `${livePrefix(tenantId)}${responsePath(name)}` as ObjectKey;
}

/** The file that says which snapshot the tenant's `live/` folder shows. */
export function liveMarkerKey(tenantId: TenantId): ObjectKey {
  return `${livePrefix(tenantId)}README.txt` as ObjectKey;
}

/** The key of a response that the build of `snapshotId` wrote. It is named like the response's URL. */
export function responseKey(tenantId: TenantId, snapshotId: SnapshotId, name: ResponseName): ObjectKey {
  return `${snapshotsPrefix(tenantId)}${snapshotId}/${responsePath(name)}` as ObjectKey;
}

/** The part of a response's key below its snapshot's folder, without a leading slash. */
export function responsePath(name: ResponseName): string {
  switch (name.kind) {
    case "list":
      return "v1/programs.json";
    case "legacy":
      return "api/v1/partner/programs.json";
    case "detail":
      return `v1/programs/${name.programId}.json`;
  }
}

const segmentPattern = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/;
/** S3's limit on a key. That on a segment is Linux' 255, less room for prefixes of the `file:` driver. */
const maxKeyBytes = 1024;
const maxSegmentBytes = 160;

/**
 * Whether every driver can store the key and name it back: segments of `A-Z a-z 0-9 . _ ~ -` joined by `/`,
 * none empty, none beginning with a dot (so neither `..` nor a driver's own temporary files).
 */
export function isObjectKey(text: string): text is ObjectKey {
  return (
    text.length <= maxKeyBytes &&
    text.split("/").every((segment) => segment.length <= maxSegmentBytes && segmentPattern.test(segment))
  );
}

/** The key itself. Throws `usage` for one that `isObjectKey` refuses. */
export function checkedKey(key: string): ObjectKey {
  if (isObjectKey(key)) return key;
  throw new Failure("usage", `Not an object key: ${JSON.stringify(key.slice(0, 200))}.`);
}
