import type { IncomingMessage } from "node:http";

/** S3's errors have some hundred bytes, and a proxy's error page a few thousand. */
const maxErrorBytes = 64 * 1024;
/** Enough for a page of 1,000 keys of 1,024 escaped bytes, with what S3 says about each. */
const maxDocumentBytes = 8 * 1024 * 1024;

/**
 * An answer that is an error or says less than it must, or none at all. It has the form of the SDK's errors,
 * since one function reads both: the SDK throws its own when there are no credentials.
 */
export class BadAnswer extends Error {
  /** S3's code or one of ours; empty when an error names none, as in a proxy's page. */
  readonly code: string;
  readonly $metadata: {
    readonly httpStatusCode: number | undefined;
    readonly requestId: string | undefined;
  };
  /** The store's time, as its answer says. */
  readonly date: string | undefined;

  constructor(code: string, answer?: IncomingMessage) {
    super("bad answer");
    this.code = code;
    const requestId = answer?.headers["x-amz-request-id"]?.toString();
    this.$metadata = { httpStatusCode: answer?.statusCode, requestId };
    this.date = answer?.headers.date;
  }
}

/** The error that an answer is. */
export async function refusalOf(answer: IncomingMessage): Promise<BadAnswer> {
  return new BadAnswer(firstElement(await textOf(answer, maxErrorBytes), "Code") ?? "", answer);
}

/**
 * The content of an answer's root element. Throws when the answer is another document, or was cut off: a
 * listing without its end would look complete.
 */
export async function documentOf(answer: IncomingMessage, root: string): Promise<string> {
  const text = (await textOf(answer, maxDocumentBytes)).trim().replace(/^<\?xml[^>]*\?>\s*/, "");
  const start = text.slice(0, text.indexOf(">") + 1);
  const end = `</${root}>`;
  if ((start === `<${root}>` || start.startsWith(`<${root} `)) && text.endsWith(end)) {
    return text.slice(start.length, -end.length);
  }
  // S3 may find out that a copy fails after it has answered 200.
  throw new BadAnswer(firstElement(text, "Code") ?? "INCOMPLETE_ANSWER", answer);
}

/** Bounded, since a store that never ends an answer could fill the memory before the call's deadline. */
async function textOf(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new BadAnswer("ANSWER_TOO_LARGE");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * The contents of all elements of this name, in order. S3's documents are flat: no element is inside another
 * one of its name, and only the root has attributes. So this takes no parser of XML, and its time is bounded
 * by the length of the document.
 */
export function elements(xml: string, name: string): readonly string[] {
  const [open, close] = [`<${name}>`, `</${name}>`];
  const contents: string[] = [];
  for (let from = xml.indexOf(open); from >= 0; ) {
    const to = xml.indexOf(close, from);
    if (to < 0) break;
    contents.push(xml.slice(from + open.length, to));
    from = xml.indexOf(open, to);
  }
  return contents;
}

/** The text of the first element of this name. */
export function firstElement(xml: string, name: string): string | undefined {
  const [open, close] = [`<${name}>`, `</${name}>`];
  const from = xml.indexOf(open);
  const to = from < 0 ? -1 : xml.indexOf(close, from);
  return to < 0 ? undefined : unescaped(xml.slice(from + open.length, to));
}

function unescaped(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (whole, dec, hex, name) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = dec === undefined ? Number.parseInt(hex, 16) : Number(dec);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
