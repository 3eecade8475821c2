/** The readable parts of a request that Node's parser refused, from the packet in which the parser gave up. */
export interface RefusedHead {
  /** The first line, if it is a request line. */
  readonly requestLine: RequestLine | undefined;
  /** The header lines as Node's parser gives them: name, value, name, value, ... */
  readonly rawHeaders: readonly string[];
  /** Each line in the packet is what HTTP allows. */
  readonly isWellFormed: boolean;
  /** The packet holds the end of the header section. */
  readonly isComplete: boolean;
}

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  /** `1.1` and the like. */
  readonly httpVersion: string;
  /** Where the line ends in the packet, its CR LF included. */
  readonly end: number;
}

/**
 * W63: reads the packet in one pass over its lines. Patterns over the whole packet would be shorter, but these bytes may be
 * an attacker's, and a pattern that looks for the end of something repeated can be made to search for seconds. A last line
 * that the packet cuts off is not read, since its missing part could change its meaning.
 */
export function refusedHead(packet: Uint8Array): RefusedHead {
  const text = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength).toString("latin1");
  const rawHeaders: string[] = [];
  let requestLine: RequestLine | undefined;
  let isWellFormed = true;
  let isFirst = true;
  for (let at = 0; ; ) {
    const end = text.indexOf("\n", at);
    if (end === -1) return { requestLine, rawHeaders, isWellFormed, isComplete: false };
    const isEndedRight = end > at && text.charAt(end - 1) === "\r";
    const line = text.slice(at, isEndedRight ? end - 1 : end);
    at = end + 1;
    if (!isEndedRight) isWellFormed = false;
    if (line === "") {
      // RFC 9112 section 2.2: empty lines before a request are passed over.
      if (isFirst) continue;
      return { requestLine, rawHeaders, isWellFormed, isComplete: true };
    }
    if (isFirst) {
      isFirst = false;
      requestLine = parsedRequestLine(line, at);
      if (requestLine === undefined) isWellFormed = false;
    } else if (!takeHeaderLine(line, rawHeaders)) isWellFormed = false;
  }
}

/** RFC 9112 section 3: three parts, one space between them. */
function parsedRequestLine(line: string, end: number): RequestLine | undefined {
  const [method = "", target = "", version = "", ...more] = line.split(" ", 4);
  if (more.length > 0 || target === "" || !tokenPattern.test(method)) return undefined;
  const httpVersion = versionPattern.exec(version)?.[1];
  return httpVersion === undefined ? undefined : { method, target, httpVersion, end };
}

/** Adds name and value. True when the line is what RFC 9112 section 5 allows, without folding. */
function takeHeaderLine(line: string, rawHeaders: string[]): boolean {
  const colon = line.indexOf(":");
  if (colon === -1) return false;
  const name = line.slice(0, colon);
  const value = withoutOuterSpace(line.slice(colon + 1));
  rawHeaders.push(name, value);
  return tokenPattern.test(name) && !controlPattern.test(value);
}

/** RFC 9110 section 5.6.3: optional white space consists of spaces and tabs alone. */
function withoutOuterSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpaceOrTab(text.charCodeAt(from))) from += 1;
  while (to > from && isSpaceOrTab(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isSpaceOrTab(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Each pattern is one repeated class, or of fixed length, so matching takes linear time. */
const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const versionPattern = /^HTTP\/(\d\.\d)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const controlPattern = /[\x00-\x08\x0a-\x1f\x7f]/;
