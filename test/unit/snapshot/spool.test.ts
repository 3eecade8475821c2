import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Spool } from "../../../cli/snapshot/spool.ts";
import type { ObjectBody } from "../../../core/object-store.ts";

// On a busy machine much data takes more than the usual few seconds.
vi.setConfig({ testTimeout: 60_000 });

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
    const body = spool.finish();
    expect(body).toMatchObject({ kind: "bytes", size: 0, sha256: sha256(Buffer.alloc(0)) });
    expect(spool.count).toBe(0);
  });

  test("of up to 2 MiB stays in memory and touches no file", () => {
    using spool = new Spool();
    const pieces = [randomBytes(mebibyte), randomBytes(mebibyte)];
    for (const piece of pieces) spool.append(piece);
    expect(readdirSync(temporary)).toEqual([]);
    const body = spool.finish();
    expect(body.kind).toBe("bytes");
    expect(contentOf(body).equals(Buffer.concat(pieces))).toBe(true);
  });

  test("of more moves to one temporary file that only its owner can read", () => {
    using spool = new Spool();
    const pieces = Array.from({ length: 700 }, (_, at) => randomBytes(at * 13));
    for (const piece of pieces) spool.append(piece);
    const body = spool.finish();
    const whole = Buffer.concat(pieces);
    expect(body).toMatchObject({ kind: "file", size: whole.length, sha256: sha256(whole) });
    expect(contentOf(body).equals(whole)).toBe(true);
    expect(readdirSync(temporary)).toHaveLength(1);
  });

  test.each([
    ["in memory", 10],
    ["in a file", 9000],
  ])("gives every piece back, empty ones too, in any order and between appends: %s", (_, bytes) => {
    using spool = new Spool();
    const pieces = Array.from({ length: 400 }, (_, at) =>
      at % 7 === 0 ? Buffer.alloc(0) : randomBytes(bytes),
    );
    for (const [at, piece] of pieces.entries()) {
      spool.append(piece);
      const earlier = (at * 31) % (at + 1);
      expect(spool.item(earlier).equals(pieces[earlier] ?? Buffer.alloc(1))).toBe(true);
    }
    expect(spool.count).toBe(pieces.length);
    expect(contentOf(spool.finish()).equals(Buffer.concat(pieces))).toBe(true);
    for (const at of [399, 0, 1, 200])
      expect(spool.item(at).equals(pieces[at] ?? Buffer.alloc(1))).toBe(true);
  });

  test("takes a single piece larger than its memory", () => {
    using spool = new Spool();
    const piece = randomBytes(3 * mebibyte);
    spool.append(piece);
    expect(spool.item(0).equals(piece)).toBe(true);
    expect(spool.finish()).toMatchObject({ kind: "file", size: piece.length, sha256: sha256(piece) });
  });

  test("removes its file and folder when disposed, also twice and without having been finished", () => {
    const spool = new Spool();
    spool.append(randomBytes(3 * mebibyte));
    expect(readdirSync(temporary)).toHaveLength(1);
    spool[Symbol.dispose]();
    spool[Symbol.dispose]();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("removes its file also when what used it throws", () => {
    let path = "";
    expect(() => {
      using spool = new Spool();
      spool.append(randomBytes(3 * mebibyte));
      const body = spool.finish();
      path = body.kind === "file" ? body.path : "";
      throw new Error("the upload failed");
    }).toThrow("the upload failed");
    expect(path).not.toBe("");
    expect(existsSync(dirname(path))).toBe(false);
  });
});

function contentOf(body: ObjectBody): Buffer {
  return body.kind === "bytes" ? body.bytes : readFileSync(body.path);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
