/**
 * The id in what somebody copied out of a header, an error body or a mail: without the spaces, quotes and commas around it.
 * None of them can be part of an id (W40).
 */
export function requestIdIn(typed: string): string {
  let [from, to] = [0, typed.length];
  while (from < to && isAround(typed[from])) from += 1;
  while (from < to && isAround(typed[to - 1])) to -= 1;
  return typed.slice(from, to);
}

/**
 * Whether the gateway would have kept the id that a client sent (W40). Its own are of this form, too; only in the log a
 * token's plaintext inside an id becomes `[token]`.
 */
export function isKeptRequestId(requestId: string): boolean {
  return /^[A-Za-z0-9._[\]-]{1,128}$/.test(requestId);
}

function isAround(character: string | undefined): boolean {
  return character !== undefined && /[\s"'`,;‘’‚“”„«»‹›]/u.test(character);
}
