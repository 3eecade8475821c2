import { readFileSync } from "node:fs";
import { codeDigest } from "./code-digest.ts";

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
