import { Failure } from "../../core/ground/failure.ts";
import { parseTenantId, type TenantId } from "../../core/ground/ids.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { isInSource, removeTenant } from "../change/access/remove-tenant.ts";
import { type Audit, publications } from "../change/audit/audit.ts";
import { type Done, recordedChange } from "../change/audit/recorded-change.ts";
import { publishSandbox } from "../partners/sandbox/publish-sandbox.ts";
import {
  provideSandboxTokens,
  sandboxJson,
  sandboxText,
  tokenVariables,
} from "../partners/sandbox/sandbox-tokens.ts";
import { readRemovedTenants, reinstateReturned } from "../publish/snapshot/removed-tenants.ts";
import { makeSandbox, otherSandbox, readSandbox } from "../publish/snapshot/sandbox-tenant.ts";
import { hasPointer } from "../publish/snapshot/stored-tenants.ts";
import { printJson, settingsOf, withStore } from "../shell/shell.ts";
import { command, flag, json, value } from "./command.ts";
import { reason } from "./option-values.ts";

const usualId = "sandbox";

/** `sandbox init`: makes a tenant for partners' tests, with a token for each kind of answer. */
export const sandboxInit = command(
  {
    tenant: value("<id>", `its id, which no real tenant may have (default: ${usualId})`, parseTenantId),
    rotate: flag("issue all its tokens anew and revoke the old ones"),
    remove: flag("end the sandbox: revoke its tokens, and delete what is stored of it"),
    withoutSource: flag("do not ask the booking database whether it has a tenant of that id"),
    reason,
    json,
  },
  async (shell, { tenant, rotate, remove, withoutSource, reason, json }) => {
    const { signal } = shell;
    const settings = settingsOf(shell);
    const existing = await withStore(settings, (store) => readSandbox(store, signal));
    if (tenant !== undefined && existing !== undefined && existing !== tenant) throw otherSandbox(existing);
    const tenantId = existing ?? tenant ?? parseTenantId(usualId);

    /** Makes the sandbox, or what it lacks. */
    async function provide(store: ObjectStore, audit: Audit): Promise<Done> {
      // The sandbox must not take the id of a tenant that the source or the store has (P97).
      if (!withoutSource && (await isInSource(tenantId, settings, signal))) {
        throw taken(tenantId, "The booking database");
      }
      const removed = await readRemovedTenants(store, signal);
      if (existing === undefined) {
        const isStored = await hasPointer(store, tenantId, signal);
        if (isStored) throw removed.has(tenantId) ? notPurged(tenantId) : taken(tenantId, "The store");
        // The document comes before all else of the sandbox, so that no run takes it for a vanished tenant.
        await makeSandbox(store, tenantId, shell.now());
      }
      await reinstateReturned(store, [tenantId], removed, { dryRun: false, signal });
      const run = await publishSandbox(store, tenantId, settings, shell);
      audit.note(publications([run]));
      const tokens = await provideSandboxTokens(store, tenantId, rotate, shell, audit);
      const report = { tenantId, run, tokens };
      const issued = tokens.flatMap(({ plaintext }) => plaintext ?? []);
      const say = () => {
        if (json) return printJson(shell, sandboxJson(report), issued);
        shell.stderr.write(sandboxText(report));
        shell.stdout.write(tokenVariables(tokens), issued);
      };
      return { say };
    }

    /** Ends the sandbox as `tenant remove --purge` does. A later generation is higher all the same (P3). */
    async function end(store: ObjectStore, audit: Audit): Promise<Done> {
      if (existing === undefined) {
        throw new Failure("not_found", "This store has no sandbox; nothing was done.");
      }
      const removal = await removeTenant(tenantId, true, { ...shell, store, audit });
      const { revokedTokens, deletedObjects } = removal;
      const say = () => {
        if (json) return printJson(shell, { tenantId, revokedTokens, deletedObjects });
        shell.stderr.write(
          `Sandbox ${tenantId} ended: ${revokedTokens} token(s) revoked, ${deletedObjects} object(s) deleted.\n`,
        );
      };
      return { say };
    }

    const request = { command: "sandbox init", tenants: [tenantId], reason };
    return await recordedChange(shell, request, remove ? end : provide);
  },
);

function taken(tenantId: TenantId, who: string): Failure {
  return new Failure(
    "usage",
    `${who} has a tenant ${tenantId} already, and the sandbox must not take its place; nothing was done. Choose another id with --tenant.`,
  );
}

function notPurged(tenantId: TenantId): Failure {
  return new Failure(
    "usage",
    `Tenant ${tenantId} was removed, and its snapshots are still stored; nothing was done. Delete them first: ` +
      `\`tenant remove ${tenantId} --purge\`. Or choose another id with --tenant.`,
  );
}
