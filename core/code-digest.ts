import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * SHA-256 (hex) of the code in these folders of the package, or of the checkout that it was built from. A version number would do if nobody
 * ever forgot to raise it. Call it when the process starts: the files of a long-lived one may be those of a newer version
 * later on.
 */
export function codeDigest(folders: readonly string[], root = join(import.meta.dirname, "..")): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
    for (const path of paths.filter((name) => /\.[jt]s$/.test(name)).sort()) {
      hash.update(`${folder}/${path}\n`).update(readFileSync(join(root, folder, path)));
    }
  }
  return hash.digest("hex");
}
