import { readFileSync } from "node:fs";

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
