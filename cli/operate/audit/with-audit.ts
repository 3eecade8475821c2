import { asFailure, type Failure } from "../../../core/failure.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { withCheckedStore } from "../../publish/store/identified-store.ts";
import { type ExitStatus, exitStatusOf } from "../../shell/exit-status.ts";
import type { Shell } from "../../shell/shell.ts";
import { type Audit, type AuditRequest, createAudit } from "./audit.ts";

/**
 * A command that changes something for partners: opens a store that honours conditional writes, records the change, and prints
 * what was done. It is printed even when its record could not be completed: a token is in force, and only we have it (P85).
 */
export async function recordedChange<Result>(
  shell: Shell,
  request: AuditRequest,
  run: (store: ObjectStore, audit: Audit) => Promise<Result>,
  print: (result: Result, store: ObjectStore) => ExitStatus | void | Promise<void>,
  isProbed = true,
): Promise<ExitStatus> {
  const change = async (checked: ObjectStore): Promise<ExitStatus> => {
    const { result, unrecorded } = await withAudit(shell, checked, request, run);
    const status = await print(result, checked);
    return auditedStatus(shell, unrecorded, status ?? 0);
  };
  return await withCheckedStore(shell, change, isProbed);
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
export function auditedStatus(
  shell: Shell,
  unrecorded: Failure | undefined,
  status: ExitStatus = 0,
): ExitStatus {
  if (unrecorded === undefined) return status;
  sayUnrecorded(shell, unrecorded);
  return status === 0 ? exitStatusOf(unrecorded.code) : status;
}

function sayUnrecorded(shell: Shell, { message }: Failure): void {
  shell.stderr.write(`partner-programs: ${message}\n`);
}
