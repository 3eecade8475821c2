import { notJson } from "./stored-document.ts";

/** Consecutive members of a document's list. */
export interface ListPiece {
  /** These members as a JSON array or object. */
  readonly json: string;
  /** Whether the list begins with this piece. When a document has its list twice, the second one counts. */
  readonly isFirst: boolean;
}

export interface ListReader {
  /** The members that end in this chunk. Throws `corrupt_document` when nothing stands between two commas. */
  add(chunk: Uint8Array): readonly ListPiece[];
  /** The document with an empty list. Called after the last chunk. */
  end(): Buffer;
}

/**
 * Reads a document that consists mostly of one list: the array or object in one of its top-level keys. `opening` matches a text
 * that ends with this key and the list's first bracket. The list is cut between its members, however the document is laid out, so
 * the caller parses one chunk at a time and never blocks the event loop for long.
 *
 * The reader does not check the JSON: the document is JSON if each piece and the result of `end` are. A key that is written with
 * escapes (`"\u0074okens"`) is not recognized, and its members stay in the result of `end`.
 */
export function createListReader(what: string, opening: RegExp): ListReader {
  /** The text around the list, as Latin-1. Its end is kept apart, since a search in a growing text would copy the text. */
  let around = "";
  let aroundEnd = "";
  /** Bytes of the list that no piece has yet. */
  let pending: Buffer[] = [];
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isInList = false;
  let isFirst = false;
  let brackets: Brackets = arrayBrackets;

  function take(bytes: Buffer): void {
    if (isInList) {
      pending.push(bytes);
      return;
    }
    const text = bytes.toString("latin1");
    around += text;
    aroundEnd = (aroundEnd + text).slice(-maxOpeningLength);
  }

  /** The position of the string's closing quote, or the chunk's length when the string goes on. */
  function stringEnd(chunk: Buffer, from: number): number {
    let isEscape = isEscaped;
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isEscape) isEscape = false;
      else if (byte === 0x5c) isEscape = true;
      else if (byte === 0x22) {
        isInString = false;
        isEscaped = false;
        return at;
      }
    }
    isInString = true;
    isEscaped = isEscape;
    return chunk.length;
  }

  function cutPiece(isLast: boolean): ListPiece {
    const json = jsonOf(pending, brackets, what);
    const isEmptyList = isFirst && isLast;
    if (!isEmptyList && blankList.test(json)) throw notJson(what);
    const piece = { json, isFirst };
    pending = [];
    isFirst = false;
    return piece;
  }

  return {
    add(bytes) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      const pieces: ListPiece[] = [];
      let from = 0;
      let lastComma = -1;
      for (let at = isInString ? stringEnd(chunk, 0) + 1 : 0; at < chunk.length; at += 1) {
        switch (chunk[at]) {
          case 0x22: // "
            at = stringEnd(chunk, at + 1);
            break;
          case 0x2c: // ,
            if (depth === listDepth) lastComma = at;
            break;
          case 0x7b: // {
          case 0x5b: // [
            depth += 1;
            if (isInList || depth !== listDepth) break;
            take(chunk.subarray(from, at + 1));
            from = at + 1;
            isInList = opening.test(aroundEnd);
            isFirst = isInList;
            brackets = chunk[at] === 0x5b ? arrayBrackets : objectBrackets;
            break;
          case 0x7d: // }
          case 0x5d: // ]
            if (isInList && depth === listDepth) {
              take(chunk.subarray(from, at));
              from = at;
              pieces.push(cutPiece(true));
              isInList = false;
            }
            depth -= 1;
        }
      }
      if (isInList && lastComma >= from) {
        take(chunk.subarray(from, lastComma));
        from = lastComma + 1;
        pieces.push(cutPiece(false));
      }
      take(chunk.subarray(from));
      return pieces;
    },

    end: () => Buffer.from(around, "latin1"),
  };
}

/** The depth of a list in a top-level key. */
const listDepth = 2;
/** Enough for the key and the white space around it. */
const maxOpeningLength = 100;

type Brackets = readonly [opening: string, closing: string];
const arrayBrackets: Brackets = ["[", "]"];
const objectBrackets: Brackets = ["{", "}"];
const blankList = /^[[{]\s*[\]}]$/;

/** The members with these bytes as JSON. */
function jsonOf(parts: readonly Buffer[], [opening, closing]: Brackets, what: string): string {
  // `ignoreBOM` keeps a byte order mark in the text, where it makes the JSON invalid.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    const texts = parts.map((part) => decoder.decode(part, { stream: true }));
    return [opening, ...texts, decoder.decode(), closing].join("");
  } catch (error) {
    throw notJson(what, error);
  }
}
