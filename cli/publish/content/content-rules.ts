import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { codeDigest } from "../../../core/package-version.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { type MappingRules, terminalStatusTest } from "../public-program/public-program.ts";
import type { SourceLimits } from "../source/program-row.ts";
import type { LegacyCapacity } from "./checked-program.ts";

/** What decides the content of a tenant's snapshot, beside its data. */
export interface ContentRules extends MappingRules {
  /** The statuses as the setting has them; `isTerminalStatus` compares without regard to case. */
  readonly terminalStatuses: readonly string[];
  readonly legacyCapacity: LegacyCapacity;
  readonly limits: SourceLimits;
  /** The bound on a tenant's list and legacy response together. */
  readonly maxListBytes: number;
}

export function contentRules(settings: CliSettings): ContentRules {
  const { terminalStatuses, legacyCapacity, maxValueKb, maxProgramKb, maxListMb } = settings;
  return {
    terminalStatuses,
    isTerminalStatus: terminalStatusTest(terminalStatuses),
    legacyCapacity,
    limits: { maxValueBytes: maxValueKb * 1024, maxProgramBytes: maxProgramKb * 1024 },
    maxListBytes: maxListMb * 1024 * 1024,
  };
}

/** Digest of all that decides what a build publishes, except the source. */
export function recipeDigest(
  generator: string,
  { terminalStatuses, legacyCapacity, limits }: ContentRules,
): string {
  return hash("sha256", JSON.stringify([generator, [terminalStatuses, legacyCapacity, limits]]), "hex");
}

/** Digest of the code that takes part in a build, the database's driver, and Node.js (Unicode, URLs). */
export function generatorDigest(root?: string): string {
  const { version } = createRequire(import.meta.url)("pg/package.json") as { version: string };
  return hash("sha256", `${process.version} ${version} ${codeDigest(codeFolders, root)}`, "hex");
}

let known: string | undefined;

/** The digest for this process: of its files as they were when it first built. */
export function ownGeneratorDigest(): string {
  known ??= generatorDigest();
  return known;
}

/** The folders whose code decides what a build publishes. A new page makes no build read everything. */
const publishing = ["content", "guards", "public-program", "run", "source", "tenant"];
const codeFolders = [
  ...["cli/database", "core", "schemas"],
  ...publishing.map((room) => `cli/publish/${room}`),
];
