import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/**
 * Compares with a checked-in file, or writes it when `TEST_UPDATE=1`: whoever changes what commands print
 * looks at the difference and commits it.
 */
export async function expectStoredText(file: URL, text: string): Promise<void> {
  if (process.env.TEST_UPDATE === "1") {
    await mkdir(dirname(fileURLToPath(file)), { recursive: true });
    await writeFile(file, text);
    return;
  }
  const stored = await readFile(file, "utf8").catch(() => "");
  expect(text, "run the tests with TEST_UPDATE=1 if this is meant").toBe(stored);
}

/** Random bytes that are the same in each run: those of one name. */
export function steadyBytes(name = "support page"): (size: number) => Uint8Array {
  let drawn = 0;
  return (size) => {
    drawn += 1;
    const seed = createHash("sha512").update(`${name} ${drawn}`).digest();
    return Buffer.concat(Array.from({ length: Math.ceil(size / seed.length) }, () => seed)).subarray(0, size);
  };
}
