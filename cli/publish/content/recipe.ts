import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { codeDigest } from "../../../core/package-version.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { contentRules } from "./content-rules.ts";

/** The folders whose code decides what a build publishes: a new stylesheet of a page makes nobody read everything. */
const codeFolders = [
  "cli/database",
  "cli/publish/content",
  "cli/publish/guards",
  "cli/publish/public-program",
  "cli/publish/run",
  "cli/publish/sandbox",
  "cli/publish/source",
  "cli/publish/tenant",
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
 */
export function generatorDigest(root?: string): string {
  return createHash("sha256")
    .update(`${process.version} ${driverVersion} ${codeDigest(codeFolders, root)}`)
    .digest("hex");
}
