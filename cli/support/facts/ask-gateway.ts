import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { ProgramId, TenantId } from "../../../core/ids.ts";
import { readBody, sha256Hex } from "../../../core/object-body.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { type TokenPlaintext, tokenDigest } from "../../../core/token.ts";
import { tokenStatus } from "../../../core/token-registry.ts";
import { registryReading } from "./registry.ts";

export interface AskedGateway {
  /** Without a slash at its end. */
  readonly url: string;
  readonly tokens: readonly TokenPlaintext[];
}

export type GatewayAnswer =
  /** The gateway was not asked, for this reason. */
  | { readonly kind: "not_asked"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string; readonly requestId: string }
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly requestId: string;
      readonly snapshotId: string | null;
      readonly sha256: string;
      /** The body, if it is JSON. */
      readonly document: unknown;
    };

const maxAskingMs = 5_000;
const maxAnswerBytes = 16 * 1024 * 1024;

/**
 * P74: asks as a partner of the tenant would. A token of another tenant is not used, since the answer would be about that tenant,
 * perhaps about a program with the same id. A gateway that fails is a result and not thrown. No result holds a token.
 */
export async function askGateway(
  gateway: AskedGateway | undefined,
  { tenantId, programId }: { readonly tenantId: TenantId; readonly programId: ProgramId },
  { store, now, signal }: { readonly store: ObjectStore; readonly now: Date; readonly signal: AbortSignal },
): Promise<GatewayAnswer> {
  if (gateway === undefined) {
    return {
      kind: "not_asked",
      reason: "Start inspect with --gateway and --token-file to ask the gateway, too.",
    };
  }
  const reading = await registryReading(store);
  if (reading.kind === "unavailable") {
    const reason = `Whose the token is could not be found out, so it was not used: ${reading.reason}`;
    return { kind: "not_asked", reason };
  }
  const token = gateway.tokens.find((plaintext) => {
    const digest = tokenDigest(plaintext);
    const entry = reading.registry.tokens.find(({ sha256 }) => sha256 === digest);
    return entry?.tenantId === tenantId && tokenStatus(entry, now) === "active";
  });
  if (token === undefined) {
    const reason = `No --token-file has a token of tenant ${tenantId} that is in force.`;
    return { kind: "not_asked", reason };
  }
  return await ask(`${gateway.url}/v1/programs/${encodeURIComponent(programId)}`, token, signal);
}

async function ask(url: string, token: TokenPlaintext, signal: AbortSignal): Promise<GatewayAnswer> {
  const requestId = `inspect-${randomBytes(8).toString("hex")}`;
  const asking = AbortSignal.any([signal, AbortSignal.timeout(maxAskingMs)]);
  try {
    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${token}`, "X-Request-Id": requestId, Accept: "application/json" },
      // A redirect must not send the token to another address.
      redirect: "error",
      signal: asking,
    });
    const body = await readBody({ body: Readable.from(response.body ?? []) }, maxAnswerBytes, url);
    return {
      kind: "answered",
      status: response.status,
      requestId: response.headers.get("x-request-id") ?? requestId,
      snapshotId: response.headers.get("snapshot-id"),
      sha256: sha256Hex(body),
      document: parsed(body),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = asking.aborted ? `no whole answer within ${maxAskingMs / 1000} s` : networkFault(error);
    return { kind: "failed", reason, requestId };
  }
}

/** `fetch` throws an error of its own, and the real one is its cause. */
function networkFault(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "no usable answer";
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}
