import type { TenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { tokenMetadata } from "../../operate/tokens/token-text.ts";
import { table } from "../../output/table.ts";
import { sandboxCases } from "../../publish/sandbox/sandbox-programs.ts";
import type { SandboxToken, SandboxTokenKind } from "./sandbox-tokens.ts";

/** The result of `sandbox init`. */
export interface SandboxReport {
  readonly tenantId: TenantId;
  readonly run: TenantRun;
  readonly tokens: readonly SandboxToken[];
}

/** For each token: its environment variable in a partner's tests, and the answer to a request with it. */
const shown: Readonly<Record<SandboxTokenKind, { readonly variable: string; readonly answer: string }>> = {
  good: { variable: "SANDBOX_TOKEN", answer: "200" },
  "small-quota": {
    variable: "SANDBOX_TOKEN_SMALL_QUOTA",
    answer: "200 for 3 requests per window, then 429",
  },
  "without-scope": { variable: "SANDBOX_TOKEN_WITHOUT_SCOPE", answer: "403" },
  expired: { variable: "SANDBOX_TOKEN_EXPIRED", answer: "401" },
  revoked: { variable: "SANDBOX_TOKEN_REVOKED", answer: "401" },
};

/** T4: the tokens that were issued just now, as lines that a shell reads (`. sandbox.env`); empty when no token was issued. */
export function tokenVariables(tokens: readonly SandboxToken[]): string {
  return tokens
    .map(({ kind, plaintext }) => (plaintext === undefined ? "" : `${shown[kind].variable}=${plaintext}\n`))
    .join("");
}

export function sandboxText({ tenantId, run, tokens }: SandboxReport): string {
  const kept = tokens.filter(({ plaintext }) => plaintext === undefined);
  const issued = tokens.length - kept.length;
  const programs = table(
    ["PROGRAM", "SHOWS"],
    sandboxCases.map(({ id, shows }) => [id, shows]),
  );
  const tokenTable = table(
    ["VARIABLE", "TOKEN", "ANSWER", ""],
    tokens.map(({ kind, entry, plaintext }) => [
      shown[kind].variable,
      entry.tokenId,
      shown[kind].answer,
      plaintext === undefined ? "kept" : "new",
    ]),
  );
  return [
    `Sandbox ${tenantId}: ${run.livePrograms ?? 0} programs, snapshot ${run.snapshotId ?? "-"} (${run.outcome}).\n\n`,
    `${programs}\n${tokenTable}\n`,
    issued > 0 ? "The new tokens stand on standard output, for this one time.\n" : "",
    kept.length > 0
      ? "Only whoever saved a token that was kept has its plaintext; --rotate issues all of them anew.\n"
      : "",
  ].join("");
}

export function sandboxJson({ tenantId, run, tokens }: SandboxReport): object {
  const { outcome, snapshotId, livePrograms } = run;
  return {
    tenantId,
    outcome,
    snapshotId,
    livePrograms,
    programs: sandboxCases.map(({ id, shows }) => ({ programId: id, shows })),
    tokens: tokens.map(({ kind, entry, plaintext }) => ({
      kind,
      variable: shown[kind].variable,
      token: plaintext ?? null,
      ...tokenMetadata(entry),
      revokedAt: entry.revokedAt,
    })),
  };
}
