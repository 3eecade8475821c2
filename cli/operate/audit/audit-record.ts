import { isSnapshotId, type SnapshotId } from "../../../core/ids.ts";
import { auditPrefix, isObjectKey, type ObjectKey } from "../../../core/object-key.ts";
import { parseStoredDocument } from "../../../core/stored-document.ts";
import type { AuditDocument } from "../../../schemas/generated/types.ts";
import { isAuditDocument } from "../../../schemas/generated/validators-administration.ts";

/** One change, as a record names it. */
export type AuditChange = AuditDocument["changes"][number];

export const auditFormat = "partner-programs/audit@1";

/** A record of more changes is for a machine, and the run's report has them all. */
export const maxChanges = 500;

/** 500 tokens with the longest names and a few scopes are less than half of it. */
export const maxRecordBytes = 1024 * 1024;

/** Throws `corrupt_document`. */
export function parseAuditRecord(bytes: Uint8Array, key: string): AuditDocument {
  return parseStoredDocument(bytes, isAuditDocument, key);
}

/** Which record an object belongs to; `undefined` for what is none. */
export function recordKey(
  key: string,
): { readonly key: ObjectKey; readonly recordId: SnapshotId; readonly state: "begun" | "ended" } | undefined {
  const [, recordId = "", begun] = /^([^/.]+)(\.begun)?\.json$/.exec(key.slice(auditPrefix.length)) ?? [];
  if (!key.startsWith(auditPrefix) || !isSnapshotId(recordId) || !isObjectKey(key)) return undefined;
  return { key, recordId, state: begun === undefined ? "ended" : "begun" };
}
