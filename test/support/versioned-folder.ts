import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tokensKey } from "../../core/ground/object-key.ts";
import { bytesBody, readBody } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";

export const body = (text: string) => bytesBody(Buffer.from(text));

export const versionsOf = (root: string) => join(root, "auth/.versions-tokens.json");
export const pathIn = (root: string) => join(root, tokensKey);

interface Prepared {
  /** A letter for each who wrote to it: what a copy of the folder has, and what the folder itself has. */
  readonly stored: string[];
  readonly original: string;
}

export function fresh(root: string): Prepared {
  mkdirSync(join(root, "auth"), { recursive: true });
  writeFileSync(pathIn(root), "0");
  return { stored: ["0"], original: "0" };
}

/** A process was killed after its head and before its body became the plain file. */
export function pending(root: string): Prepared {
  fresh(root);
  mkdirSync(versionsOf(root));
  writeFileSync(join(versionsOf(root), `head-1-${"a".repeat(32)}`), "");
  writeFileSync(join(versionsOf(root), `body-1-${"a".repeat(32)}`), "0p");
  return { stored: ["0", "p"], original: "0p" };
}

export async function contentOf(store: ObjectStore) {
  const found = await store.get(tokensKey);
  if (found.kind !== "object") return undefined;
  return { text: (await readBody(found, 1000, tokensKey)).toString(), etag: found.etag };
}

const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function newRoot(): string {
  const root = mkdtempSync(join(memory, "file-versions-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
