import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The package's version, from the nearest package.json above this file (the build nests one level deeper). */
export function packageVersion(): string {
  for (const up of ["../package.json", "../../package.json"]) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), "utf8"));
      if (name === "partner-programs") return String(version);
    } catch {
      // Not there: the next one is.
    }
  }
  return "unknown";
}

/** What is running. */
export interface BuildInfo {
  readonly version: string;
  /** Twelve digits that tell apart what calls itself the same version. */
  readonly code: string;
  /** The version of Node.js. */
  readonly node: string;
}

let known: BuildInfo | undefined;

/** P184 */
export function buildInfo(): BuildInfo {
  const folders = ["cli", "core", "gateway", "schemas"];
  known ??= { version: packageVersion(), code: codeDigest(folders).slice(0, 12), node: process.version };
  return known;
}

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
