import { Command, InvalidArgumentError } from "commander";
import { Failure } from "../../core/failure.ts";
import { parseTenantId, type TenantId } from "../../core/ids.ts";
import { readScope } from "../../core/token-registry.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { assertNotRemoved, assertPublished } from "../operate/tokens/assert-published.ts";
import { editRecorded } from "../operate/tokens/edit-registry.ts";
import { issueToken } from "../operate/tokens/issue-token.ts";
import { withCheckedStore } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell } from "../shell/shell.ts";
import { instantAfter, instantForms } from "./instant-option.ts";
import { asTenantId, storedLine, wholeNumber } from "./option-values.ts";
import { printIssuedToken } from "./print-token.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface CreateFlags extends ReasonFlag {
  readonly tenant: string;
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly allowUnknownScope: boolean;
  readonly expires?: Date;
  readonly rateLimit?: number;
  readonly allowUnpublished: boolean;
  readonly json: boolean;
}

/** `token create`: issues a token for a tenant and prints its plaintext once. */
export function tokenCreate(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant whose programs it reads", asTenantId)
    .option("--name <text>", "what it is for, shown in lists", storedLine(200))
    .option("--scope <scope...>", `what it may do (default: ${readScope})`, collectedScopes)
    .option("--allow-unknown-scope", "take scopes that no resource asks for", false)
    .option("--expires <when>", `when it ends by itself: ${instantForms}`, instantAfter(shell.now))
    .option(
      "--rate-limit <n>",
      "requests per window, instead of the gateway's own limit",
      wholeNumber(1, 999_999_999),
    )
    .option("--allow-unpublished", "also for a tenant without a published snapshot", false)
    .addOption(reasonOption())
    .option("--json", "print one object with the token and its metadata", false)
    .action(action(shell, run));
}

async function run(shell: Shell, flags: CreateFlags): Promise<ExitStatus> {
  const tenantId = parseTenantId(flags.tenant);
  const now = shell.now();
  if (flags.expires !== undefined && flags.expires <= now) {
    throw new Failure("usage", "--expires lies in the past; the token would never work.");
  }
  const scopes = flags.scope ?? [readScope];
  if (!flags.allowUnknownScope) assertKnown(scopes);
  const terms = {
    tenantId,
    name: flags.name ?? null,
    scopes,
    expiresAt: flags.expires?.toISOString() ?? null,
    rateLimit: flags.rateLimit ?? null,
  };
  const request = { command: "token create", tenants: [tenantId], reason: flags.reason };
  return await withCheckedStore(shell, async (checked) => {
    const { result: issued, unrecorded } = await withAudit(shell, checked, request, async (store, audit) => {
      // Most often, the id of a tenant without a snapshot was mistyped (T13).
      if (!flags.allowUnpublished) await assertPublished(store, tenantId, shell.signal, uselessFor(tenantId));
      const issued = issueToken(terms, null, now, shell.randomBytes);
      await editRecorded(store, audit, async (tokens) => {
        await assertNotRemoved(store, tenantId, shell.signal);
        return [...tokens, issued.entry];
      });
      return issued;
    });
    // Even when its record could not be completed, the token is printed: it is in force, and only we have it (P86).
    printIssuedToken(shell, issued, flags.json);
    return auditedStatus(shell, unrecorded);
  });
}

function uselessFor(tenantId: TenantId): string {
  return (
    `Tenant ${tenantId} has no published snapshot, so a token would only get errors. ` +
    "Check the id, build first, or pass --allow-unpublished."
  );
}

/** Refuses unknown scopes, because a mistyped scope would turn every request into a 403 (T14). */
function assertKnown(scopes: readonly string[]): void {
  const unknown = scopes.filter((scope) => scope !== readScope);
  if (unknown.length === 0) return;
  throw new Failure(
    "usage",
    `No resource asks for the scope ${unknown.join(", ")}; the known one is ${readScope}. ` +
      "If it is meant, pass --allow-unknown-scope.",
  );
}

/** Each scope once. T12 defines their form. */
function collectedScopes(value: string, previous: readonly string[] | undefined): readonly string[] {
  if (!/^[a-z][a-z0-9._:-]{0,63}$/.test(value)) {
    throw new InvalidArgumentError("Expected a lower-case letter, then up to 63 of a-z 0-9 . _ : -");
  }
  return [...new Set([...(previous ?? []), value])];
}
