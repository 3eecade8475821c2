import { isTokensDocument } from "../schemas/generated/validators-stored.ts";
import { validate } from "../schemas/validate.ts";
import { asFailure, Failure } from "./failure.ts";
import { createListReader } from "./list-reader.ts";
import { tokensKey } from "./object-key.ts";
import { parseJson, parseStoredDocument, schemaFailure } from "./stored-document.ts";
import {
  duplicateToken,
  maxRegistryBytes,
  type RegisteredToken,
  registeredToken,
  registryFormat,
} from "./token-registry.ts";

/** Takes the tokens that the reader finds. */
export interface TokenSink {
  /** False when a token of the same id or digest is there already. */
  add(token: RegisteredToken): boolean;
}

export interface ReadRegistry<Sink> {
  readonly revision: number;
  readonly tokens: Sink;
}

/**
 * Reads a registry chunk by chunk, so that 100,000 tokens do not block the event loop, however the document is laid out. Throws
 * `corrupt_document` in the same cases as `parseTokenRegistry`.
 */
export async function readTokenRegistry<Sink extends TokenSink>(
  body: AsyncIterable<Uint8Array>,
  createSink: () => Sink,
): Promise<ReadRegistry<Sink>> {
  const reader = createListReader(tokensKey, /"tokens"\s*:\s*[[{]$/);
  let entries: Entries<Sink> | undefined;
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxRegistryBytes) {
      throw new Failure("corrupt_document", `${tokensKey} is larger than ${maxRegistryBytes} bytes.`);
    }
    for (const { json, isFirst } of reader.add(chunk)) {
      if (isFirst) entries = createEntries(createSink());
      entries?.add(parseJson(json, tokensKey));
    }
  }
  const { revision, tokens } = parseStoredDocument(reader.end(), isTokensDocument, tokensKey);
  // If the list reader did not recognize the key, all tokens are here.
  if (entries === undefined || tokens.length > 0) entries = createEntries(createSink());
  entries.add(tokens);
  return { revision, tokens: entries.sink() };
}

/** The checked entries of one list. */
interface Entries<Sink> {
  /** Never throws, so that a fault of the whole document is reported before one of an entry. */
  add(entries: unknown): void;
  /** Throws the first fault that an entry had. */
  sink(): Sink;
}

function createEntries<Sink extends TokenSink>(sink: Sink): Entries<Sink> {
  let count = 0;
  let fault: Failure | undefined;

  function check(entries: unknown): void {
    const result = validate(isTokensDocument, { format: registryFormat, revision: 0, tokens: entries });
    if (!result.valid) {
      // The validator counts from the first entry of this piece.
      const message = result.violation.message.replace(
        /^\/tokens\/(\d+)/,
        (_, at) => `/tokens/${count + Number(at)}`,
      );
      throw schemaFailure(tokensKey, message);
    }
    for (const entry of result.document.tokens) {
      if (!sink.add(registeredToken(entry))) throw duplicateToken();
    }
    count += result.document.tokens.length;
  }

  return {
    add(entries) {
      if (fault !== undefined) return;
      try {
        check(entries);
      } catch (error) {
        fault = asFailure(error);
      }
    },
    sink() {
      if (fault !== undefined) throw fault;
      return sink;
    },
  };
}
