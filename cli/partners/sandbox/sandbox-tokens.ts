import type { TokenPlaintext } from "../../../core/documents/token.ts";
import { type RegisteredToken, readScope, tokenStatus } from "../../../core/documents/token-registry.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { editRegistry } from "../../change/access/edit-registry.ts";
import {
  earlierEnd,
  issueToken,
  latestEnd,
  revoked,
  tokenMetadata,
} from "../../change/access/issue-token.ts";
import type { Audit } from "../../change/audit/audit.ts";
import { table } from "../../output/layout.ts";
import { assertNotRemoved } from "../../read/administration/known-tenant.ts";
import { type Shell, settingsOf } from "../../shell/shell.ts";
import { sandboxCases } from "./sandbox-programs.ts";

/** For each kind of token, its environment variable in a partner's tests and what a request gets. */
const kinds = {
  good: { variable: "SANDBOX_TOKEN", answer: "200" },
  "small-quota": {
    variable: "SANDBOX_TOKEN_SMALL_QUOTA",
    answer: "200 for 3 requests per window, then 429",
  },
  "without-scope": { variable: "SANDBOX_TOKEN_WITHOUT_SCOPE", answer: "403" },
  expired: { variable: "SANDBOX_TOKEN_EXPIRED", answer: "401" },
  revoked: { variable: "SANDBOX_TOKEN_REVOKED", answer: "401" },
} as const;

type SandboxTokenKind = keyof typeof kinds;

const sandboxTokenKinds = Object.keys(kinds) as SandboxTokenKind[];

interface SandboxToken {
  readonly kind: SandboxTokenKind;
  readonly entry: RegisteredToken;
  /** The plaintext of a token issued just now; `undefined` for older ones, which nobody has. */
  readonly plaintext: TokenPlaintext | undefined;
}

/** A quota that a partner can use up by hand. */
const smallQuota = 3;
/** The expiry lies this long in the past, since a gateway's clock may be behind. */
const expiredForMs = 24 * 3_600_000;

/**
 * Provides one token of each kind, however often it runs (P97). It keeps the tokens that still work as their
 * kind should, and issues the missing ones. With `rotate` it issues all of them, and revokes the old ones in
 * the same write (T6). Throws `usage` when the sandbox was removed meanwhile (P91).
 */
export async function provideSandboxTokens(
  store: ObjectStore,
  tenantId: TenantId,
  rotate: boolean,
  shell: Shell,
  audit: Audit,
): Promise<readonly SandboxToken[]> {
  const at = shell.now();
  const last = latestEnd(settingsOf(shell), at);
  // All attempts store the same tokens, because an attempt whose answer was lost may have stored them.
  const fresh = sandboxTokenKinds.map((kind): SandboxToken => {
    const terms = {
      tenantId,
      name: nameOf(kind),
      scopes: [kind === "without-scope" ? "sandbox.none" : readScope],
      expiresAt: earlierEnd(null, kind === "expired" ? new Date(at.getTime() - expiredForMs) : last),
      rateLimit: kind === "small-quota" ? smallQuota : null,
    };
    const { plaintext, entry } = issueToken(terms, null, at, shell.randomBytes);
    return { kind, plaintext, entry: kind === "revoked" ? { ...entry, revokedAt: at.toISOString() } : entry };
  });
  let provided: readonly SandboxToken[] = [];
  await editRegistry(store, audit, async (tokens) => {
    provided = fresh.map((token) => {
      const known = tokens.findLast((other) => isOfKind(other, tenantId, token.kind, at));
      return known === undefined || rotate ? token : { ...token, entry: known, plaintext: undefined };
    });
    const issued = provided.flatMap(({ entry, plaintext }) => (plaintext === undefined ? [] : entry));
    if (issued.length === 0) return tokens;
    await assertNotRemoved(store, tenantId, shell.signal, "Run `sandbox init` again.");
    const replaced = tokens.filter(
      (token) => rotate && token.revokedAt === null && isOfSandbox(token, tenantId),
    );
    const replacedIds = replaced.map(({ tokenId }) => tokenId);
    return [...revoked(tokens, replacedIds, at), ...issued];
  });
  return provided;
}

function nameOf(kind: SandboxTokenKind): string {
  return `sandbox: ${kind}`;
}

function isOfSandbox({ tenantId, name }: RegisteredToken, sandbox: TenantId): boolean {
  return tenantId === sandbox && sandboxTokenKinds.some((kind) => name === nameOf(kind));
}

/** Whether a request with the token still gets the answer of this kind. */
function isOfKind(token: RegisteredToken, tenantId: TenantId, kind: SandboxTokenKind, now: Date): boolean {
  if (token.tenantId !== tenantId || token.name !== nameOf(kind)) return false;
  const status = tokenStatus(token, now);
  return status === (kind === "expired" || kind === "revoked" ? kind : "active");
}

/** The result of `sandbox init`. */
interface SandboxReport {
  readonly tenantId: TenantId;
  readonly run: TenantRun;
  readonly tokens: readonly SandboxToken[];
}

/** T4: the tokens issued just now, as lines for a shell (`. sandbox.env`); empty without any. */
export function tokenVariables(tokens: readonly SandboxToken[]): string {
  return tokens
    .map(({ kind, plaintext }) => (plaintext === undefined ? "" : `${kinds[kind].variable}=${plaintext}\n`))
    .join("");
}

export function sandboxText({ tenantId, run, tokens }: SandboxReport): string {
  const kept = tokens.filter(({ plaintext }) => plaintext === undefined);
  const issued = tokens.length - kept.length;
  const programs = table(
    ["PROGRAM", "SHOWS"],
    sandboxCases.map(({ programId, shows }) => [programId, shows]),
  );
  const tokenTable = table(
    ["VARIABLE", "TOKEN", "ANSWER", ""],
    tokens.map(({ kind, entry, plaintext }) => [
      kinds[kind].variable,
      entry.tokenId,
      kinds[kind].answer,
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
    programs: sandboxCases,
    tokens: tokens.map(({ kind, entry, plaintext }) => ({
      kind,
      variable: kinds[kind].variable,
      token: plaintext ?? null,
      ...tokenMetadata(entry),
      revokedAt: entry.revokedAt,
    })),
  };
}
