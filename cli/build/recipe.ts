import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { CliSettings } from "../shell/shell.ts";
import { contentRules } from "./content-rules.ts";

/** The folders whose code decides what a build publishes: a new stylesheet of a page makes nobody read everything. */
const codeFolders = [
  "cli/build",
  "cli/database",
  "cli/public-program",
  "cli/sandbox",
  "cli/source",
  "core",
  "schemas",
];
/** The package that turns the database's answers into values. */
const { version: driverVersion } = createRequire(import.meta.url)("pg/package.json") as { version: string };

/**
 * SHA-256 (hex) of all but the source that decides what a build publishes and reports: these settings, and the generator
 * that it runs on.
 */
export function recipeDigest(generator: string, settings: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([generator, settings]))
    .digest("hex");
}

/** The same for the settings of a command. */
export function settingsRecipe(generator: string, settings: CliSettings): string {
  const { terminalStatuses, legacyCapacity } = settings;
  return recipeDigest(generator, [terminalStatuses, legacyCapacity, contentRules(settings).limits]);
}

/**
 * SHA-256 (hex) of the code that takes part in a build, the database's driver and the Node.js that runs it (Unicode, URLs).
 * A version number would do if nobody ever forgot to raise it. Call it once, when the process starts: the files of a long-lived one may be those
 * of a newer version later on.
 */
export function generatorDigest(root = join(import.meta.dirname, "../..")): string {
  const hash = createHash("sha256").update(`${process.version} ${driverVersion}\n`);
  for (const folder of codeFolders) {
    const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
    for (const path of paths.filter((name) => /\.[jt]s$/.test(name)).sort()) {
      hash.update(`${folder}/${path}\n`).update(readFileSync(join(root, folder, path)));
    }
  }
  return hash.digest("hex");
}
