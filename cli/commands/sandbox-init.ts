import { Failure } from "../../core/failure.ts";
import { parseTenantId, type TenantId } from "../../core/ids.ts";
import { currentKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { type Audit, type AuditRequest, recordedChange } from "../operate/audit/audit.ts";
import { publications } from "../operate/audit/changes.ts";
import { isInSource } from "../operate/tenants/known-tenant.ts";
import { removeTenant } from "../operate/tenants/remove-tenant.ts";
import { publishSandbox } from "../partners/sandbox/publish-sandbox.ts";
import {
  provideSandboxTokens,
  sandboxJson,
  sandboxText,
  tokenVariables,
} from "../partners/sandbox/sandbox-tokens.ts";
import { readRemovedTenants, reinstateReturned } from "../publish/snapshot/removed-tenants.ts";
import { makeSandbox, otherSandbox, readSandbox } from "../publish/snapshot/sandbox-tenant.ts";
import { printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { command, flag, json, value } from "./command.ts";
import { asTenantId, reason } from "./option-values.ts";

interface SandboxFlags {
  readonly tenant: TenantId | undefined;
  readonly rotate: boolean;
  readonly withoutSource: boolean;
  readonly json: boolean;
}

const usualId = "sandbox";

/** `sandbox init`: makes a tenant for partners' tests, with a token for each kind of answer. */
export const sandboxInit = command(
  {
    tenant: value("<id>", `its id, which no real tenant may have (default: ${usualId})`, asTenantId),
    rotate: flag("issue all its tokens anew and revoke the old ones"),
    remove: flag("end the sandbox: revoke its tokens, and delete what is stored of it"),
    withoutSource: flag("do not ask the booking database whether it has a tenant of that id"),
    reason,
    json,
  },
  async (shell, flags) => {
    let existing: TenantId | undefined;
    const request = async (store: ObjectStore): Promise<AuditRequest> => {
      existing = await readSandbox(store, shell.signal);
      if (flags.tenant !== undefined && existing !== undefined && existing !== flags.tenant) {
        throw otherSandbox(existing);
      }
      const tenants = [existing ?? flags.tenant ?? parseTenantId(usualId)];
      return { command: "sandbox init", tenants, reason: flags.reason };
    };
    return await recordedChange(
      shell,
      request,
      (store, audit) =>
        flags.remove
          ? end(store, audit, existing, shell, flags.json)
          : provide(store, audit, existing, shell, flags),
      (print) => print(),
    );
  },
);

/**
 * Makes the sandbox. Returns a function that prints the result, which is called when the record of the audit is complete.
 */
async function provide(
  store: ObjectStore,
  audit: Audit,
  existing: TenantId | undefined,
  shell: Shell,
  flags: SandboxFlags,
): Promise<() => void> {
  const settings = settingsOf(shell);
  const tenantId = existing ?? flags.tenant ?? parseTenantId(usualId);
  // The sandbox must not take the id of a tenant that the source or the store has (P97).
  if (!flags.withoutSource && (await isInSource(tenantId, settings, shell.signal))) {
    throw taken(tenantId, "The booking database");
  }
  if (existing === undefined) {
    const found = await store.get(currentKey(tenantId), { signal: shell.signal });
    if (found.kind === "object") {
      found.body.destroy();
      throw taken(tenantId, "The store");
    }
    // The document comes before anything else of the sandbox, so that no run takes it for a tenant that vanished.
    await makeSandbox(store, tenantId, shell.now());
  }
  const removed = await readRemovedTenants(store, shell.signal);
  await reinstateReturned(store, [tenantId], removed, { dryRun: false, signal: shell.signal });
  const run = await publishSandbox(store, tenantId, settings, shell);
  audit.note(publications([run]));
  const tokens = await provideSandboxTokens(store, tenantId, flags.rotate, shell, audit);
  const report = { tenantId, run, tokens };
  const issued = tokens.flatMap(({ plaintext }) => plaintext ?? []);
  return () => {
    if (flags.json) return printJson(shell, sandboxJson(report), issued);
    shell.stderr.write(sandboxText(report));
    shell.stdout.write(tokenVariables(tokens), issued);
  };
}

/** Ends the sandbox as `tenant remove --purge` does. A later one of the same id continues its generations (P3). */
async function end(
  store: ObjectStore,
  audit: Audit,
  tenantId: TenantId | undefined,
  shell: Shell,
  json: boolean,
): Promise<() => void> {
  if (tenantId === undefined) throw new Failure("not_found", "This store has no sandbox; nothing was done.");
  const { now, signal } = shell;
  const { revokedTokens, deletedObjects } = await removeTenant(tenantId, true, { store, audit, now, signal });
  return () => {
    if (json) return printJson(shell, { tenantId, revokedTokens, deletedObjects });
    shell.stderr.write(
      `Sandbox ${tenantId} ended: ${revokedTokens} token(s) revoked, ${deletedObjects} object(s) deleted.\n`,
    );
  };
}

function taken(tenantId: TenantId, who: string): Failure {
  return new Failure(
    "usage",
    `${who} has a tenant ${tenantId} already, and the sandbox must not take its place; nothing was done. Choose another id with --tenant.`,
  );
}
