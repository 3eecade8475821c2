import { parseToken, type TokenDigest, tokenDigest } from "../core/token.ts";

/**
 * What the `Authorization` headers hold: nothing of use for us, a well-formed token, or a bearer credential that
 * was never issued as a token (wrong form or checksum, or more than one header).
 */
export type BearerCredentials =
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  | { readonly kind: "token"; readonly digest: TokenDigest };

/** Reads the values of all `Authorization` lines of a request. */
export type CredentialsReader = (authorization: readonly string[]) => BearerCredentials;

/**
 * A reader for the requests of one connection, which nearly always bear the same token: checksum and digest of the last
 * one are not computed again. Whether the token is good is another question, asked each time.
 */
export function createCredentialsReader(): CredentialsReader {
  let last: string | undefined;
  let credentials = none;
  return (authorization) => {
    const [value] = authorization;
    if (value === undefined) return none;
    // W32: two headers leave open which of them a proxy in between judged: neither counts, even if they are equal.
    if (authorization.length > 1) return malformed;
    if (value !== last) {
      credentials = bearerCredentials(value);
      last = value;
    }
    return credentials;
  };
}

/** W30 (RFC 6750 section 2.1), the scheme without regard to case (RFC 9110 section 11.1); no other place is looked at. */
function bearerCredentials(value: string): BearerCredentials {
  // Nearly everybody writes it like this, and a slice is cheaper than a match.
  const text = value.startsWith("Bearer ppr_") ? value.slice("Bearer ".length) : afterBearer(value);
  if (text === undefined) return none;
  const token = parseToken(text);
  return token === undefined ? malformed : { kind: "token", digest: tokenDigest(token) };
}

const none: BearerCredentials = { kind: "none" };
const malformed: BearerCredentials = { kind: "malformed" };
const scheme = "bearer";

/** What follows the scheme and its spaces; `undefined` behind another scheme. */
function afterBearer(value: string): string | undefined {
  if (value.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  let at = scheme.length;
  while (value.charAt(at) === " ") at += 1;
  return at > scheme.length || at === value.length ? value.slice(at) : undefined;
}
