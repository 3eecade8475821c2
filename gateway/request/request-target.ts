/** The three resources of the API (W1). `segment` follows `/v1/programs/`, not decoded or judged yet. */
export type Resource =
  | { readonly kind: "list" }
  | { readonly kind: "detail"; readonly segment: string }
  | { readonly kind: "legacy" };

/** What a request target names: a resource, no resource (`unknown`), or nothing since it is malformed. */
export type RequestTarget = Resource | { readonly kind: "unknown" } | { readonly kind: "malformed" };

/**
 * Reads the target exactly as it was sent. Nothing is decoded, joined or lower-cased, so each resource has
 * only one spelling (W20). The query is ignored (W5), and so is the authority of an absolute-form target
 * (W23, RFC 9112 section 3.2.2).
 */
export function requestTarget(raw: string): RequestTarget {
  // W24: Node's parser accepts `#` and bytes above 0x7e, which no target may hold (RFC 9112 section 3.2).
  if (notTargetPattern.test(raw)) return malformed;
  const path = pathOf(raw);
  if (path === listPath) return list;
  if (path === legacyPath) return legacy;
  if (!path.startsWith(detailPrefix)) return unknown;
  const segment = path.slice(detailPrefix.length);
  return segment === "" || segment.includes("/") ? unknown : { kind: "detail", segment };
}

/**
 * The same target in the form that begins with a path. Express would read an absolute form with `url.parse`,
 * which prints a faulty one on standard error, with any token in it.
 */
export function originForm(raw: string): string {
  if (raw.startsWith("/")) return raw;
  if (notTargetPattern.test(raw)) return "/#";
  const target = raw.replace(absoluteFormPattern, "");
  return target.startsWith("/") ? target : "/";
}

/** The segment, percent-decoded once (W21); `undefined` when it cannot be decoded. */
export function decodedSegment(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

const listPath = "/v1/programs";
const detailPrefix = `${listPath}/`;
const legacyPath = "/api/v1/partner/programs";

const list: RequestTarget = { kind: "list" };
const legacy: RequestTarget = { kind: "legacy" };
const unknown: RequestTarget = { kind: "unknown" };
const malformed: RequestTarget = { kind: "malformed" };

const notTargetPattern = /[^\x21-\x7e]|#/;
const absoluteFormPattern = /^https?:\/\/[^/?]*/i;

function pathOf(raw: string): string {
  const target = raw.startsWith("/") ? raw : raw.replace(absoluteFormPattern, "");
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}
