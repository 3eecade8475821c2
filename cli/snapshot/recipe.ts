import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folders whose code takes part in a build. */
const codeFolders = ["cli", "core", "schemas"];

/**
 * SHA-256 (hex) of all but the source that decides what a build publishes and reports: these settings, the generator's
 * own code and the Node.js that runs it (Unicode, URLs). A version number would do if nobody ever forgot to raise it.
 */
export function recipeDigest(settings: unknown, root = join(import.meta.dirname, "../..")): string {
  const hash = createHash("sha256").update(JSON.stringify([process.version, settings]));
  for (const folder of codeFolders) {
    const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
    for (const path of paths.filter((name) => /\.[jt]s$/.test(name)).sort()) {
      hash.update(`${folder}/${path}\n`).update(readFileSync(join(root, folder, path)));
    }
  }
  return hash.digest("hex");
}
