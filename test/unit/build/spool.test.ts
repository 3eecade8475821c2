import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Spool } from "../../../cli/publish/content/spool.ts";
import type { ObjectBody } from "../../../core/object-store.ts";

const mebibyte = 1024 * 1024;
const usualTemporary = process.env.TMPDIR;
let temporary: string;

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "spool-test-"));
  process.env.TMPDIR = temporary;
});

afterEach(() => {
  if (usualTemporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usualTemporary;
  rmSync(temporary, { recursive: true, force: true });
});

describe("a spool", () => {
  test("of nothing is an empty body", () => {
    using spool = new Spool();
    expect(spool.size).toBe(0);
    expect(spool.finish()).toMatchObject({ kind: "bytes", size: 0, sha256: sha256("") });
  });

  test("of up to 512 KiB stays in memory and touches no file", () => {
    using spool = new Spool();
    const pieces = [textOf(256 * 1024), textOf(256 * 1024)];
    for (const piece of pieces) spool.append(piece);
    expect(readdirSync(temporary)).toEqual([]);
    const body = spool.finish();
    expect(body.kind).toBe("bytes");
    expect(contentOf(body)).toBe(pieces.join(""));
  });

  test("of more moves to one temporary file that only its owner can read", () => {
    using spool = new Spool();
    const pieces = Array.from({ length: 700 }, (_, at) => textOf(at * 13));
    for (const piece of pieces) spool.append(piece);
    const whole = pieces.join("");
    expect(spool.size).toBe(Buffer.byteLength(whole));
    const body = spool.finish();
    expect(body).toMatchObject({ kind: "file", size: Buffer.byteLength(whole), sha256: sha256(whole) });
    expect(contentOf(body)).toBe(whole);
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(body.kind === "file" && statSync(body.path).mode & 0o777).toBe(0o600);
  });

  test("counts and keeps the bytes of UTF-8, whatever the letters, also where its buffer is just full", () => {
    const letters = ["a", "\u00fc", "\u20ac", "\u{1f600}"];
    fc.assert(
      fc.property(
        fc.nat(9),
        fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 40 }),
        (less, parts) => {
          using spool = new Spool();
          const whole = "x".repeat(16 * 1024 - less) + parts.join("");
          spool.append("x".repeat(16 * 1024 - less));
          for (const part of parts) spool.append(part);
          expect(spool.size).toBe(Buffer.byteLength(whole));
          expect(contentOf(spool.finish())).toBe(whole);
        },
      ),
    );
  });

  test.each([
    ["in memory", 10],
    ["in a file", 9000],
  ])(
    "gives any part to another spool, an empty one too, in any order and between appends: %s",
    (_, bytes) => {
      using spool = new Spool();
      using other = new Spool();
      const pieces = Array.from({ length: 400 }, (_, at) => (at % 7 === 0 ? "" : textOf(bytes)));
      const starts: number[] = [];
      const expected: string[] = [];
      for (const [at, piece] of pieces.entries()) {
        starts.push(spool.size);
        spool.append(piece);
        const earlier = (at * 31) % (at + 1);
        other.appendFrom(spool, starts[earlier] ?? 0, starts[earlier + 1] ?? spool.size);
        expected.push(pieces[earlier] ?? "");
      }
      expect(contentOf(other.finish())).toBe(expected.join(""));
      expect(contentOf(spool.finish())).toBe(pieces.join(""));
    },
  );

  test("takes a single piece larger than its memory", () => {
    using spool = new Spool();
    using other = new Spool();
    const piece = textOf(3 * mebibyte);
    spool.append(piece);
    other.appendFrom(spool, 0, spool.size);
    for (const { kind, size, sha256: digest } of [spool.finish(), other.finish()])
      expect({ kind, size, digest }).toEqual({ kind: "file", size: piece.length, digest: sha256(piece) });
  });

  test("does not take over what is left of a file that somebody cut off", () => {
    using spool = new Spool();
    using other = new Spool();
    spool.append(textOf(mebibyte));
    const [folder = ""] = readdirSync(temporary);
    spool.append("the end");
    other.appendFrom(spool, 0, 10);
    truncateSync(join(temporary, folder, "spool"), 100);
    expect(() => other.appendFrom(spool, 90, 110)).toThrow("cut off");
  });

  test("removes its file and folder when disposed, also twice and without having been finished", () => {
    const spool = new Spool();
    spool.append(textOf(3 * mebibyte));
    expect(readdirSync(temporary)).toHaveLength(1);
    spool[Symbol.dispose]();
    spool[Symbol.dispose]();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("removes its file also when what used it throws", () => {
    let path = "";
    expect(() => {
      using spool = new Spool();
      spool.append(textOf(3 * mebibyte));
      const body = spool.finish();
      path = body.kind === "file" ? body.path : "";
      throw new Error("the upload failed");
    }).toThrow("the upload failed");
    expect(path).not.toBe("");
    expect(existsSync(dirname(path))).toBe(false);
  });
});

/** Text of so many letters and bytes that is nowhere the same. */
function textOf(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString("hex")
    .slice(0, length);
}

function contentOf(body: ObjectBody): string {
  return body.kind === "bytes" ? body.bytes.toString() : readFileSync(body.path, "utf8");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
