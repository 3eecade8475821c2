import { Failure } from "./failure.ts";

/** Splits the UTF-8 text of a stored document into lines as its bytes arrive. */
export interface LineReader {
  /** The lines that end in this chunk. Throws `corrupt_document` when the bytes are not UTF-8. */
  add(chunk: Uint8Array): readonly string[];
  /** Length of the text after the last line break so far. */
  restLength(): number;
  /** The text after the last line break. Called after the last chunk. */
  end(): string;
}

export function createLineReader(what: string): LineReader {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";

  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new Failure("corrupt_document", `${what} is not UTF-8.`, { cause: error });
    }
  };

  return {
    add(chunk) {
      const text = decode(chunk);
      const end = text.lastIndexOf("\n");
      const lines = end === -1 ? [] : (rest + text.slice(0, end)).split("\n");
      rest = end === -1 ? rest + text : text.slice(end + 1);
      return lines;
    },
    restLength: () => rest.length,
    end: () => rest + decode(),
  };
}
