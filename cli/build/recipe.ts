import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folders whose code takes part in a build. */
const codeFolders = ["cli", "core", "schemas"];

/**
 * SHA-256 (hex) of all but the source that decides what a build publishes and reports: these settings, and the generator
 * that it runs on.
 */
export function recipeDigest(generator: string, settings: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([generator, settings]))
    .digest("hex");
}

/**
 * SHA-256 (hex) of the generator's own code and the Node.js that runs it (Unicode, URLs). A version number would do if
 * nobody ever forgot to raise it. To be asked once, when the process starts: the files of a long-lived one may be those
 * of a newer version later on.
 */
export function generatorDigest(root = join(import.meta.dirname, "../..")): string {
  const hash = createHash("sha256").update(`${process.version}\n`);
  for (const folder of codeFolders) {
    const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
    for (const path of paths.filter((name) => /\.[jt]s$/.test(name)).sort()) {
      hash.update(`${folder}/${path}\n`).update(readFileSync(join(root, folder, path)));
    }
  }
  return hash.digest("hex");
}
