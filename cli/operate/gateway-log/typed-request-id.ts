/**
 * The id in a text that was copied from a header, an error body or a mail, without the spaces, quotes and commas around it.
 * No id contains any of these (W40).
 */
export function requestIdIn(typed: string): string {
  let [from, to] = [0, typed.length];
  while (from < to && isAround(typed[from])) from += 1;
  while (from < to && isAround(typed[to - 1])) to -= 1;
  return typed.slice(from, to);
}

/**
 * Whether an id can be in the gateway's log: a client's id that the gateway keeps has this form (W40), and so has an id of its
 * own. The brackets are for `[token]`, which replaces the plaintext of a token within an id.
 */
export function isKeptRequestId(requestId: string): boolean {
  return /^[A-Za-z0-9._[\]-]{1,128}$/.test(requestId);
}

function isAround(character: string | undefined): boolean {
  return character !== undefined && /[\s"'`,;‘’‚“”„«»‹›]/u.test(character);
}
