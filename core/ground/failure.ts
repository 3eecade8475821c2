import { singleLine, withoutMiddle } from "./printable.ts";

/**
 * The closed set of reasons for which an operation can fail. One table maps a code to an HTTP status
 * (gateway) and one to an exit status (CLI); nobody else interprets errors.
 */
export type FailureCode =
  | "usage"
  | "settings"
  | "source_unavailable"
  | "source_contract"
  | "foreign_database"
  | "invalid_program"
  | "tenant_too_large"
  | "store_unavailable"
  | "store_unreachable"
  | "store_denied"
  | "store_unsupported"
  | "corrupt_document"
  | "no_share"
  | "not_found"
  | "superseded"
  | "shrink_guard"
  | "field_guard"
  | "scale_guard"
  | "shared_guard"
  | "vanished_guard"
  | "held"
  | "in_source"
  | "unrecorded"
  | "busy"
  | "interrupted"
  | "internal";

/**
 * An expected failure. The message tells operators what is wrong, where, and what to do about it. It never
 * holds a token, a connection string or another tenant's data. The foreign error, if there was one, is the
 * `cause`.
 *
 * Messages quote foreign text (ids, paths, errors of the database and the store). They are made printable and
 * short here, so that nobody can forget it: a message is one line of about a thousand characters at most,
 * whatever it quotes. A message of several lines is given as a list.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;

  constructor(
    code: FailureCode,
    message: string | readonly string[],
    options?: { readonly cause?: unknown },
  ) {
    const lines = typeof message === "string" ? [message] : message;
    super(lines.map((line) => singleLine(withoutMiddle(line))).join("\n"), options);
    this.code = code;
  }
}

/** The failure itself, or an `internal` one around anything else that was thrown. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure("internal", message, { cause: thrown });
}

/** The result of the work; `undefined` when it fails with one of these codes. */
export async function unlessFailed<Result>(
  work: Promise<Result>,
  ...codes: readonly FailureCode[]
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(asFailure(error).code)) return undefined;
    throw error;
  }
}

/** The failure of a call that was ended by the caller's signal. */
export function interrupted(what: string): Failure {
  return new Failure("interrupted", `${what} was interrupted.`);
}
