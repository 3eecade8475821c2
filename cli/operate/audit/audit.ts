import type { Current } from "../../../core/current.ts";
import { asFailure, Failure } from "../../../core/failure.ts";
import { isTenantId, snapshotId, type TenantId } from "../../../core/ids.ts";
import { bytesBody, documentBytes } from "../../../core/object-body.ts";
import {
  auditKey,
  type ObjectKey,
  removedKey,
  sandboxKey,
  tenantsPrefix,
  tokensKey,
} from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { AuditDocument, LiveState, TenantRun } from "../../../schemas/generated/types.ts";
import { putImmutable } from "../../publish/snapshot/stored-snapshot.ts";
import { type ExitStatus, exitStatuses } from "../../shell/exit-status.ts";
import { identifiedStore } from "../../shell/identified-store.ts";
import { type Shell, settingsOf, withStore } from "../../shell/shell.ts";

/** One change, as a record names it. */
export type AuditChange = AuditDocument["changes"][number];

/** A record of more changes is for a machine, and the run's report has them all. */
const maxChanges = 500;

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
  /** It is unknown whether the last change arrived. The record then stays begun, since its end might be wrong. */
  doubt(): void;
  /**
   * P85: completes the record, if one was begun. Never throws, so that the command first prints what it did, above all a token's
   * plaintext, and then the returned failure.
   */
  end(failure: Failure | undefined): Promise<Failure | undefined>;
}

export function createAudit(shell: Shell, request: AuditRequest): Audit {
  const recordId = snapshotId(shell.now(), shell.randomBytes(4));
  let planned: readonly AuditChange[] = [];
  let noted: readonly AuditChange[] = [];
  let isDoubtful = false;
  let beginning: Promise<ObjectStore> | undefined;

  async function write(
    store: ObjectStore,
    outcome: AuditDocument["outcome"],
    changes: readonly AuditChange[],
    failure: Failure | undefined,
  ): Promise<void> {
    const tenants = request.tenants.length > 0 ? request.tenants : tenantsOf(changes);
    const record: AuditDocument = {
      format: "partner-programs/audit@1",
      recordId,
      outcome,
      at: shell.now().toISOString(),
      command: request.command,
      actor: shell.actor,
      reason: request.reason ?? null,
      tenants: tenants.slice(0, maxChanges),
      changes: changes.slice(0, maxChanges),
      changesOmitted: Math.max(0, changes.length - maxChanges),
      failure: failure === undefined ? null : { code: failure.code, message: failure.message },
    };
    const key = auditKey(recordId, outcome === "begun" ? "begun" : "ended");
    // No signal: ending a command must not keep its record from being written.
    await putImmutable(store, key, bytesBody(documentBytes(record)), never);
  }

  /** P85: awaited before each call that changes something for partners. When it throws, the call is not made. */
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
    watch: (store) => ({
      ...store,
      async put(key, body, options) {
        if (isDecisive(key)) await begun(store);
        return await store.put(key, body, options);
      },
      async delete(keys, options) {
        if (keys.some((key) => isDecisive(key) || isOfSnapshot(key))) await begun(store);
        await store.delete(keys, options);
      },
    }),
    plan: (changes) => {
      planned = changes;
    },
    note: (changes) => {
      noted = [...noted, ...changes];
    },
    doubt: () => {
      isDoubtful = true;
    },
    async end(failure) {
      const store = await beginning?.catch(() => undefined);
      if (store === undefined || isDoubtful) return undefined;
      try {
        await write(store, failure === undefined ? "done" : "failed", noted, failure);
        return undefined;
      } catch (error) {
        return incomplete(recordId, asFailure(error));
      }
    },
  };
}

const never = new AbortController().signal;

function tenantsOf(changes: readonly AuditChange[]): readonly TenantId[] {
  const ids = changes.map((change) => (change.kind === "token" ? change.after.tenantId : change.tenantId));
  return [...new Set(ids)].filter(isTenantId);
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

/** P85: what changes something for partners: a pointer, the registry, the sandbox, the removed tenants. They do not see other objects yet. */
function isDecisive(key: ObjectKey): boolean {
  return key === tokensKey || key === removedKey || key === sandboxKey || pointer.test(key);
}

/** A `live/` folder is a copy for people, and comes and goes with every publication. */
function isOfSnapshot(key: ObjectKey): boolean {
  return key.startsWith(tenantsPrefix) && !/^[^/]+\/[^/]+\/live\//.test(key);
}

/** Prints what a command did, and may choose its exit status. */
export type Print = () => ExitStatus | void | Promise<void>;

/**
 * A command that changes something for partners: opens a store that honours conditional writes, records the change, and calls what
 * `run` returns to print what was done. It is printed even when its record could not be completed: a token is in force, and only we
 * have it (P85). `isProbed`: after a probe of the conditional writes (P11).
 */
export async function recordedChange(
  shell: Shell,
  request: AuditRequest,
  run: (store: ObjectStore, audit: Audit) => Promise<Print>,
  isProbed = true,
): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  return await withStore(settings, async (opened) => {
    const store = identifiedStore(opened, settings, shell);
    if (isProbed) await store.requireConditions();
    const { result: print, unrecorded } = await withAudit(shell, store, request, run);
    return auditedStatus(shell, unrecorded, (await print()) ?? 0);
  });
}

/** Runs with a store on which nothing changes for partners without a record, and completes the record. `unrecorded`: why it could not. */
export async function withAudit<Result>(
  shell: Shell,
  store: ObjectStore,
  request: AuditRequest,
  run: (store: ObjectStore, audit: Audit) => Promise<Result>,
): Promise<{ readonly result: Result; readonly unrecorded: Failure | undefined }> {
  const audit = createAudit(shell, request);
  let result: Result;
  try {
    result = await run(audit.watch(store), audit);
  } catch (error) {
    const unrecorded = await audit.end(asFailure(error));
    if (unrecorded !== undefined) sayUnrecorded(shell, unrecorded);
    throw error;
  }
  return { result, unrecorded: await audit.end(undefined) };
}

/** The exit status. Called after the command has printed what it did; reports an incomplete record. */
export function auditedStatus(shell: Shell, unrecorded: Failure | undefined, status: ExitStatus): ExitStatus {
  if (unrecorded === undefined) return status;
  sayUnrecorded(shell, unrecorded);
  return status === 0 ? exitStatuses[unrecorded.code] : status;
}

function sayUnrecorded(shell: Shell, { message }: Failure): void {
  shell.stderr.write(`partner-programs: ${message}\n`);
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
