import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import type { TokenId } from "../../core/ids.ts";
import type { RegisteredToken } from "../../core/token-registry.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { activeToken, withEnd } from "../operate/tokens/active-token.ts";
import { editRecorded } from "../operate/tokens/edit-registry.ts";
import { tokenMetadata } from "../operate/tokens/token-text.ts";
import { layoutOf } from "../output/layout.ts";
import { exactTime, relativeAndExact } from "../output/times.ts";
import { withCheckedStore } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell } from "../shell/shell.ts";
import { instantAfter, instantForms } from "./instant-option.ts";
import { asTokenId } from "./option-values.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface ExpireFlags extends ReasonFlag {
  readonly at: Date;
  readonly json: boolean;
}

/** `token expire`: gives a token an end, so that it overlaps with its successor while a partner changes over (P84). */
export function tokenExpire(shell: Shell): Command {
  return new Command()
    .argument("<token-id>", "the token to end", asTokenId)
    .requiredOption("--at <when>", `when it ends: ${instantForms}`, instantAfter(shell.now))
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, tokenId: TokenId, { at, json, reason }: ExpireFlags): Promise<ExitStatus> {
  const now = shell.now();
  if (at <= now) throw new Failure("usage", "--at lies in the past. To end a token now, use `token revoke`.");
  let before: RegisteredToken | undefined;
  let after: RegisteredToken | undefined;
  const request = { command: "token expire", tenants: [], reason };
  const { unrecorded } = await withCheckedStore(shell, (checked) =>
    withAudit(shell, checked, request, (store, audit) =>
      editRecorded(store, audit, (tokens) => {
        const edited = withEnd(tokens, tokenId, at, now);
        before = activeToken(tokens, tokenId, now);
        after = activeToken(edited, tokenId, now);
        return edited;
      }),
    ),
  );
  if (before === undefined || after === undefined) throw new Failure("internal", "No token was looked at.");
  if (json) {
    printJson(shell, { ...tokenMetadata(after), previousExpiresAt: before.expiresAt });
    return auditedStatus(shell, unrecorded);
  }
  const was = before.expiresAt === null ? "never" : exactTime(before.expiresAt);
  const ends = relativeAndExact(at.toISOString(), layoutOf(shell));
  shell.stderr.write(`Token ${tokenId} of tenant ${after.tenantId} ends ${ends}; before: ${was}.\n`);
  return auditedStatus(shell, unrecorded);
}
