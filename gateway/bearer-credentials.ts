import { parseToken, type TokenDigest, tokenDigest } from "../core/token.ts";

/**
 * The content of the `Authorization` headers: `none` is no bearer credential, `malformed` is one that was never issued as a
 * token (wrong form or checksum, or more than one header), and `token` is a well-formed token.
 */
export type BearerCredentials =
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  | { readonly kind: "token"; readonly digest: TokenDigest };

/** Reads the values of all `Authorization` lines of a request. */
export type CredentialsReader = (authorization: readonly string[]) => BearerCredentials;

/**
 * A reader for the requests of one connection. They nearly always carry the same token, so the reader keeps the last
 * result instead of computing checksum and digest again. Whether the token is valid is still looked up for each request.
 */
export function createCredentialsReader(): CredentialsReader {
  let last: string | undefined;
  let credentials = none;
  return (authorization) => {
    const [value] = authorization;
    if (value === undefined) return none;
    // W32: with two headers, a proxy may have checked either of them. So neither counts, even if they are equal.
    if (authorization.length > 1) return malformed;
    if (value !== last) {
      credentials = bearerCredentials(value);
      last = value;
    }
    return credentials;
  };
}

/** W30 (RFC 6750 section 2.1): the scheme is compared without regard to case (RFC 9110 section 11.1). */
function bearerCredentials(value: string): BearerCredentials {
  // Nearly every client writes the header like this, and a slice is cheaper than a match.
  const text = value.startsWith("Bearer ppr_") ? value.slice("Bearer ".length) : afterBearer(value);
  if (text === undefined) return none;
  const token = parseToken(text);
  return token === undefined ? malformed : { kind: "token", digest: tokenDigest(token) };
}

const none: BearerCredentials = { kind: "none" };
const malformed: BearerCredentials = { kind: "malformed" };
const scheme = "bearer";

/** The text after the scheme and its spaces; `undefined` when the scheme is another one. */
function afterBearer(value: string): string | undefined {
  if (value.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  let at = scheme.length;
  while (value.charAt(at) === " ") at += 1;
  return at > scheme.length || at === value.length ? value.slice(at) : undefined;
}
