/**
 * Takes a JSON document `{"...": [ ... ], ...}` as it streams in: the elements of its first array one by one, and the rest
 * with that array left empty. So a list of any length is looked at in the memory of one element. What is not JSON gives
 * pieces that are not JSON either; nothing is judged here.
 */
export class ElementSplitter {
  readonly #onElement: (json: Buffer) => void;
  readonly #rest: Buffer[] = [];
  #element: Buffer[] = [];
  #elements = 0;
  #place: "before" | "inside" | "after" = "before";
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(onElement: (json: Buffer) => void) {
    this.#onElement = onElement;
  }

  push(piece: Buffer): void {
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isInString = false;
        continue;
      }
      if (byte === quote) this.#isInString = true;
      else if (byte === openBrace || byte === openBracket) {
        this.#depth += 1;
        if (this.#place === "before" && byte === openBracket && this.#depth === arrayDepth) {
          this.#rest.push(piece.subarray(from, at + 1));
          this.#place = "inside";
          from = at + 1;
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        if (this.#place === "inside" && this.#depth === arrayDepth) {
          this.#endElement(piece.subarray(from, at), this.#elements === 0);
          this.#place = "after";
          from = at;
        }
        this.#depth -= 1;
      } else if (byte === comma && this.#place === "inside" && this.#depth === arrayDepth) {
        this.#endElement(piece.subarray(from, at), false);
        from = at + 1;
      }
    }
    (this.#place === "inside" ? this.#element : this.#rest).push(piece.subarray(from));
  }

  /** The document with the array empty. */
  finish(): Buffer {
    return Buffer.concat([...this.#rest, ...this.#element]);
  }

  #endElement(end: Buffer, mayBeNone: boolean): void {
    const json = Buffer.concat([...this.#element, end]);
    this.#element = [];
    if (json.length === 0 && mayBeNone) return;
    this.#elements += 1;
    this.#onElement(json);
  }
}

/** The array of a response is a member of its outermost object. */
const arrayDepth = 2;
const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
