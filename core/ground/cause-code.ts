import { asFailure, type FailureCode } from "./failure.ts";

/**
 * Why a request was not answered with a 200: the code in the gateway's log, which is one of `refusalCodes` or
 * the code of the failure behind a 500. Support's tools tell causes apart by it, so a code never changes its
 * meaning.
 */
export type CauseCode = (typeof refusalCodes)[number] | FailureCode;

export const refusalCodes = [
  "malformed_request",
  "malformed_id",
  "no_token",
  "malformed_token",
  "unknown_token",
  "revoked_token",
  "expired_token",
  "missing_scope",
  "unknown_path",
  "unknown_program",
  "wrong_method",
  "quota_exceeded",
  "registry_unconfirmed",
  "client_left",
  "too_many_waiting",
] as const;

/** A cause for the log: a code for programs and a text for people. Neither is sent to the client. */
export interface Cause {
  readonly code: CauseCode;
  readonly text: string;
}

export function causeOf(thrown: unknown): Cause {
  const { code, message } = asFailure(thrown);
  return { code, text: message };
}
