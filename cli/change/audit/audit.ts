import type { Current } from "../../../core/documents/current.ts";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import { type SnapshotId, snapshotId, type TenantId } from "../../../core/ground/ids.ts";
import { maxRecordBytes } from "../../../core/ground/limits.ts";
import {
  auditKey,
  type ObjectKey,
  removedKey,
  sandboxKey,
  tenantsPrefix,
  tokensKey,
} from "../../../core/ground/object-key.ts";
import { bytesBody, documentBytes } from "../../../core/store/object-body.ts";
import type { ObjectBody, ObjectStore } from "../../../core/store/object-store.ts";
import type { AuditDocument, LiveState, TenantRun } from "../../../schemas/generated/types.ts";
import { putImmutable } from "../../publish/snapshot/stored-snapshot.ts";
import type { Shell } from "../../shell/shell.ts";

/** One change, as a record names it. */
export type AuditChange = AuditDocument["changes"][number];

/** A record of more changes is for a machine, and the run's report has them all. */
export const maxChanges = 500;
/** A record's schema allows so many. A change of more has several records, so each is named (P206). */
const maxTenants = 500;

/** The command, the tenants that it is about, and the reason given. */
export interface AuditRequest {
  readonly command: string;
  readonly tenants: readonly TenantId[];
  readonly reason: string | undefined;
}

/** The record of one call of a command that changes something for partners. */
export interface Audit {
  /** The store for the command. Before its first change arrives, the record of intent is stored (P85). */
  watch(store: ObjectStore): ObjectStore;
  /** The planned changes, for the record of intent. The last call before the first change counts. */
  plan(changes: readonly AuditChange[]): void;
  /** What was changed; may be called several times. */
  note(changes: readonly AuditChange[]): void;
  /** Says on standard error what the operator is to know, when the command has said what it did. */
  warn(text: string): void;
  /** All changes that were noted. */
  noted(): readonly AuditChange[];
  /** It is unknown whether the last change arrived. The record stays begun: its end might be wrong. */
  doubt(): void;
  /**
   * P85: completes the record, if one was begun. Never throws, so that the command first prints what it did,
   * above all a token's plaintext, and then the returned failure.
   */
  end(failure: Failure | undefined): Promise<Failure | undefined>;
}

export function createAudit(shell: Shell, request: AuditRequest): Audit {
  const recordIds = [snapshotId(shell.now(), shell.randomBytes(4))];
  let planned: readonly AuditChange[] = [];
  let noted: readonly AuditChange[] = [];
  let isDoubtful = false;
  let warning: string | undefined;
  let beginning: Promise<ObjectStore> | undefined;
  const write = recordWriter(shell, request, recordIds);

  /** P85: when it throws, the call that would change something is not made. */
  async function begun(store: ObjectStore): Promise<void> {
    beginning ??= write(store, "begun", planned, undefined).then(
      () => store,
      (error: unknown) => {
        beginning = undefined;
        throw unrecorded(asFailure(error), store);
      },
    );
    await beginning;
  }

  return {
    watch: (store) => watched(store, () => begun(store)),
    plan: (changes) => {
      planned = changes;
    },
    note: (changes) => {
      noted = [...noted, ...changes];
    },
    warn: (text) => {
      warning = text;
    },
    noted: () => noted,
    doubt: () => {
      isDoubtful = true;
    },
    async end(failure) {
      if (warning !== undefined) shell.stderr.write(`partner-programs: warning: ${warning}\n`);
      const store = await beginning?.catch(() => undefined);
      if (store === undefined || isDoubtful) return undefined;
      try {
        await write(store, failure === undefined ? "done" : "failed", noted, failure);
        return undefined;
      } catch (error) {
        return incomplete(String(recordIds[0]), asFailure(error));
      }
    },
  };
}

const never = new AbortController().signal;

/** `begun`: awaited before each call that changes something for partners. */
function watched(store: ObjectStore, begun: () => Promise<void>): ObjectStore {
  return {
    ...store,
    async put(key, body, options) {
      if (isDecisive(key)) await begun();
      return await store.put(key, body, options);
    },
    async delete(keys, options) {
      if (keys.some((key) => isDecisive(key) || isOfSnapshot(key))) await begun();
      await store.delete(keys, options);
    },
  };
}

/** Writes the records of a change, and adds the ids that they need to `recordIds`. */
function recordWriter(shell: Shell, request: AuditRequest, recordIds: SnapshotId[]) {
  return async (
    store: ObjectStore,
    outcome: AuditDocument["outcome"],
    changes: readonly AuditChange[],
    failure: Failure | undefined,
  ): Promise<void> => {
    const parts = recordParts(request.tenants, changes);
    // A record that was begun gets its end, too, when less was changed than was planned.
    for (let at = Math.max(parts.length, recordIds.length) - 1; at >= 0; at -= 1) {
      const recordId = recordIds[at] ?? snapshotId(shell.now(), shell.randomBytes(4));
      recordIds[at] = recordId;
      const part = parts[at] ?? { tenants: [], changes: [] };
      const record = recordOf(shell, request, { recordId, outcome, ...part }, failure);
      const key = auditKey(recordId, outcome === "begun" ? "begun" : "ended");
      // No signal: ending a command must not keep its record from being written.
      await putImmutable(store, key, recordBody(record), never);
    }
  };
}

/** P206: changes that would make a record larger than its readers take are only counted. */
function recordBody(record: AuditDocument): ObjectBody {
  const { changes, changesOmitted } = record;
  const bytes = documentBytes(record);
  if (bytes.length <= maxRecordBytes || changes.length === 0) return bytesBody(bytes);
  const kept = changes.slice(0, changes.length >> 1);
  return recordBody({
    ...record,
    changes: kept,
    changesOmitted: changesOmitted + changes.length - kept.length,
  });
}

type RecordPart = ReturnType<typeof recordParts>[number] & Pick<AuditDocument, "recordId" | "outcome">;

function recordOf(
  shell: Shell,
  request: AuditRequest,
  { recordId, outcome, tenants, changes }: RecordPart,
  failure: Failure | undefined,
): AuditDocument {
  return {
    format: "partner-programs/audit@1",
    recordId,
    outcome,
    at: shell.now().toISOString(),
    command: request.command,
    actor: shell.actor,
    reason: request.reason ?? null,
    tenants,
    changes: changes.slice(0, maxChanges),
    changesOmitted: Math.max(0, changes.length - maxChanges),
    failure: failure === undefined ? null : { code: failure.code, message: failure.message },
  };
}

/** P206: the named or changed tenants and their changes; in parts when a record cannot name them all. */
function recordParts(named: readonly TenantId[], changes: readonly AuditChange[]) {
  const tenants = [...new Set([...named, ...changes.map(tenantOf)])];
  const parts: { readonly tenants: string[]; readonly changes: readonly AuditChange[] }[] = [];
  do {
    const own = new Set(tenants.splice(0, maxTenants));
    parts.push({ tenants: [...own], changes: changes.filter((change) => own.has(tenantOf(change))) });
  } while (tenants.length > 0);
  return parts;
}

function tenantOf(change: AuditChange): string {
  if (change.kind === "token") return change.after.tenantId;
  return change.kind === "forgotten" ? change.before.tenantId : change.tenantId;
}

/** A code of its own: `store_unavailable` would mean that the change itself may have arrived. */
function unrecorded(cause: Failure, { address }: ObjectStore): Failure {
  const policies = ' The policies "generator" and "tokens" of `store check --policies` allow it.';
  const fix = cause.code === "store_denied" && address.startsWith("s3:") ? policies : "";
  const message = `No record could be written below audit/, so the change was not made. ${sentence(cause)}${fix}`;
  return new Failure("unrecorded", message, { cause });
}

function incomplete(recordId: string, cause: Failure): Failure {
  return new Failure(
    "unrecorded",
    `What was done is done, but its record could not be completed: \`audit list\` shows ${recordId} as begun, without its end. ` +
      `Do not repeat the command for that. ${sentence(cause)}`,
    { cause },
  );
}

function sentence({ message }: Failure): string {
  return message.replace(/\.?$/, ".");
}

const pointer = /^tenants\/[^/]+\/current\.json$/;

/** P85: what changes something for partners: a pointer, the registry, the sandbox, the removed tenants. */
function isDecisive(key: ObjectKey): boolean {
  return key === tokensKey || key === removedKey || key === sandboxKey || pointer.test(key);
}

/** A `live/` folder is a copy for people, and comes and goes with every publication. */
function isOfSnapshot(key: ObjectKey): boolean {
  return key.startsWith(tenantsPrefix) && !/^[^/]+\/[^/]+\/live\//.test(key);
}

/** From one pointer to the next, with how many programs each shows where that is known. */
export function pointerChange(
  before: Current,
  after: Current,
  programsBefore: number | null = null,
  programs: number | null = null,
): AuditChange {
  return {
    kind: "snapshot",
    tenantId: after.tenantId,
    before: liveState(before, programsBefore),
    after: liveState(after, programs),
  };
}

/** The snapshots that a run published. */
export function publications(runs: readonly TenantRun[]): readonly AuditChange[] {
  return runs.flatMap((run): readonly AuditChange[] => {
    const { tenantId, outcome, snapshotId, previousSnapshotId, generation, livePrograms = null } = run;
    if (outcome !== "published" || snapshotId === null) return [];
    const unknown = { generation: null, programs: null, isHeld: null };
    const before = previousSnapshotId === null ? null : { snapshotId: previousSnapshotId, ...unknown };
    const after = { snapshotId, generation, programs: livePrograms, isHeld: null };
    return [{ kind: "snapshot", tenantId, before, after }];
  });
}

function liveState({ snapshotId, generation, hold }: Current, programs: number | null): LiveState {
  return { snapshotId, generation, programs, isHeld: hold !== null };
}
