import type { TokenEntry } from "../schemas/generated/types.ts";
import { isTokensDocument } from "../schemas/generated/validators-stored.ts";
import { validate } from "../schemas/validate.ts";
import { Failure } from "./failure.ts";
import { createLineReader } from "./line-reader.ts";
import { tokensKey } from "./object-key.ts";
import type { TokenDigest } from "./token.ts";
import {
  maxRegistryBytes,
  parseTokenRegistry,
  type RegisteredToken,
  registeredToken,
  registryFormat,
  twinRefusal,
} from "./token-registry.ts";

/** A registry, with what its reader needs to know of each token. */
export interface ReadRegistry<Value> {
  readonly revision: number;
  readonly byDigest: ReadonlyMap<TokenDigest, Value>;
}

/**
 * Reads a registry as it streams in. Throws `corrupt_document` as `parseTokenRegistry` does.
 *
 * The canonical form (`tokenRegistryBytes`) is parsed line by line between chunks, so a registry of 100,000 tokens does not
 * block the event loop. Any other JSON of the same schema is read whole, and so is what does not fit its schema, for the
 * sake of an exact message.
 */
export async function readTokenRegistry<Value>(
  body: AsyncIterable<Uint8Array>,
  toValue: (token: RegisteredToken) => Value,
): Promise<ReadRegistry<Value>> {
  const reader = createLineReader(tokensKey);
  const byDigest = new Map<TokenDigest, Value>();
  const refuseTwin = twinRefusal();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let head: string | undefined;
  /** Whether an entry must follow: behind a comma. */
  let isOpen = false;
  let isCanonical = true;

  /** Lines that came in together, in one call of the parser and of the validator. */
  function takeLines([first, ...others]: readonly string[]): void {
    if (first === undefined) return;
    const lines = head === undefined ? others : [first, ...others];
    head ??= first;
    if (lines.length === 0) return;
    const entries = head.endsWith('"tokens":[') && (isOpen || byDigest.size === 0) && entriesOf(lines);
    if (!entries) {
      isCanonical = false;
      return;
    }
    isOpen = lines.at(-1)?.endsWith(",") === true;
    for (const entry of entries) {
      const token = registeredToken(entry);
      refuseTwin(token);
      byDigest.set(token.sha256, toValue(token));
    }
  }

  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxRegistryBytes) {
      throw new Failure("corrupt_document", `${tokensKey} is larger than ${maxRegistryBytes} bytes.`);
    }
    if (isCanonical) takeLines(reader.add(chunk));
  }
  if (isCanonical && head !== undefined && !isOpen && reader.end() === "]}") {
    const { revision } = parseTokenRegistry(Buffer.from(`${head}]}`));
    return { revision, byDigest };
  }
  const { revision, tokens } = parseTokenRegistry(Buffer.concat(chunks, size));
  return { revision, byDigest: new Map(tokens.map((token) => [token.sha256, toValue(token)])) };
}

/** `undefined`: not what the canonical form has on such lines, or not of the schema. */
function entriesOf(lines: readonly string[]): readonly TokenEntry[] | undefined {
  // With the line breaks: within a text they are no JSON.
  const text = lines.join("\n");
  let tokens: unknown;
  try {
    tokens = JSON.parse(`[${text.endsWith(",") ? text.slice(0, -1) : text}]`);
  } catch {
    return undefined;
  }
  const result = validate(isTokensDocument, { format: registryFormat, revision: 0, tokens });
  return result.valid && result.document.tokens.length > 0 ? result.document.tokens : undefined;
}
