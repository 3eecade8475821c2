import { notJson } from "./stored-document.ts";

/** Some members of a document's list, in their order. */
export interface ListPiece {
  /** JSON: an array or object of these members. */
  readonly json: string;
  /** The list begins with this piece. When a document has its list twice, the second one counts. */
  readonly isFirst: boolean;
}

/** Takes a stored JSON document apart while its bytes come in. */
export interface ListReader {
  /** The members that end in this chunk. Throws `corrupt_document` when nothing stands between two commas. */
  add(chunk: Uint8Array): readonly ListPiece[];
  /** The document with its list emptied. To be called after the last chunk. */
  end(): Buffer;
}

/**
 * Reads a document most of which is one list: the array or object that one of its top-level keys holds. `opening` matches a text
 * that ends with this key and the list's first bracket. The list is cut between its members, however the document is laid out, so
 * its reader parses one chunk at a time and holds up nobody for long.
 *
 * The cuts prove nothing. The document is JSON when each piece is, and what `end` returns. A key that is written with
 * escapes (`"\u0074okens"`) is not recognized: its members stay in what `end` returns.
 */
export function createListReader(what: string, opening: RegExp): ListReader {
  /** What stands around the list, as Latin-1. A search in a growing text copies it, so its end is kept apart. */
  let around = "";
  let aroundEnd = "";
  /** Bytes of the list that are in no piece yet. */
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

  /** Where the string ends: at its quote, or for now at the end of the chunk. */
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

/** The depth of a list that stands right below the document's own braces. */
const listDepth = 2;
/** The name, and as much white space as anybody writes. */
const maxOpeningLength = 100;

type Brackets = readonly [opening: string, closing: string];
const arrayBrackets: Brackets = ["[", "]"];
const objectBrackets: Brackets = ["{", "}"];
const blankList = /^[[{]\s*[\]}]$/;

/** The JSON of the members whose bytes these parts are. */
function jsonOf(parts: readonly Buffer[], [opening, closing]: Brackets, what: string): string {
  // A byte order mark between members stays in the text, where it is no JSON.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    const texts = parts.map((part) => decoder.decode(part, { stream: true }));
    return [opening, ...texts, decoder.decode(), closing].join("");
  } catch (error) {
    throw notJson(what, error);
  }
}
