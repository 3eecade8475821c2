import { Failure } from "./failure.ts";
import type { ProgramId, SnapshotId, TenantId } from "./ids.ts";

declare const brand: unique symbol;
/** A key that one of the functions of this file built, or that `isObjectKey` accepted. */
export type ObjectKey = string & { readonly [brand]: "ObjectKey" };

/** The three kinds of responses that a snapshot holds. */
export type ResponseName =
  | { readonly kind: "list" }
  | { readonly kind: "legacy" }
  | { readonly kind: "detail"; readonly programId: ProgramId };

/** Says which store this is (P160). */
export const storeKey = "store.json" as ObjectKey;
export const tokensKey = "auth/tokens.json" as ObjectKey;
export const tenantsPrefix = "tenants/";
export const runsPrefix = "runs/";
/** Beside the reports of runs, whose names are ids: nobody can take it for one. */
export const confirmedKey = "runs/confirmed.json" as ObjectKey;

/** Names the tenant whose programs come with the generator. Gateways never read it. */
export const sandboxKey = "runs/sandbox.json" as ObjectKey;

/** Which tenants were removed, and from which generation on one of them would begin again. Gateways never read it. */
export const removedKey = "tenants/removed.json" as ObjectKey;

export const auditPrefix = "audit/";

/** Who changed what for partners. `begun`: what was about to be changed, stored before it was. */
export function auditKey(recordId: SnapshotId, state: "begun" | "ended"): ObjectKey {
  return `${auditPrefix}${recordId}${state === "begun" ? ".begun" : ""}.json` as ObjectKey;
}

export function runKey(runId: SnapshotId): ObjectKey {
  return `${runsPrefix}${runId}.json` as ObjectKey;
}

/** Everything of one tenant begins with this (P16). */
export function tenantPrefix(tenantId: TenantId): string {
  return `${tenantsPrefix}${tenantId}/`;
}

export function currentKey(tenantId: TenantId): ObjectKey {
  return `${tenantPrefix(tenantId)}current.json` as ObjectKey;
}

/** What the generator remembers of the source. No gateway reads it, and nothing is lost with it but time. */
export function sourceMemoryKey(tenantId: TenantId): ObjectKey {
  return `${tenantPrefix(tenantId)}source.json` as ObjectKey;
}

export function snapshotsPrefix(tenantId: TenantId): string {
  return `${tenantPrefix(tenantId)}snapshots/`;
}

export function snapshotPrefix(tenantId: TenantId, snapshotId: SnapshotId): string {
  return `${snapshotsPrefix(tenantId)}${snapshotId}/`;
}

export function manifestKey(tenantId: TenantId, snapshotId: SnapshotId): ObjectKey {
  return `${snapshotPrefix(tenantId, snapshotId)}manifest.json` as ObjectKey;
}

/**
 * What is noted beside a snapshot after it was built; that the object exists is all that counts.
 * `withdrawn`: it was live, and a rollback replaced it. `condemned`: a prune deletes it, so it must not become live again.
 */
export type SnapshotMark = "withdrawn" | "condemned";

export function markKey(tenantId: TenantId, snapshotId: SnapshotId, mark: SnapshotMark): ObjectKey {
  return `${snapshotPrefix(tenantId, snapshotId)}${mark}.json` as ObjectKey;
}

/** The complete tree for people, in which gateways never look. */
export function livePrefix(tenantId: TenantId): string {
  return `${tenantPrefix(tenantId)}live/`;
}

/** Where the tree has its copy of the response. */
export function liveKey(tenantId: TenantId, name: ResponseName): ObjectKey {
  return `${livePrefix(tenantId)}${responsePath(name)}` as ObjectKey;
}

/** Says which snapshot the tree shows. */
export function liveMarkerKey(tenantId: TenantId): ObjectKey {
  return `${livePrefix(tenantId)}README.txt` as ObjectKey;
}

/** The key of a response that the build `snapshotId` wrote: named like the URL that it answers. */
export function responseKey(tenantId: TenantId, snapshotId: SnapshotId, name: ResponseName): ObjectKey {
  return `${snapshotPrefix(tenantId, snapshotId)}${responsePath(name)}` as ObjectKey;
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
/** S3's own limit on a key; Linux' limit on a file name (255), less room for what the `file:` driver puts before a name. */
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
