import { hash } from "node:crypto";
import { createRequire } from "node:module";
import type { Manifest } from "../../../core/documents/manifest.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { codeDigest } from "../../../core/process/package-version.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { type ContentRules, contentRules } from "../content/checked-program.ts";
import type { OnInvalid } from "../guards/guards.ts";
import type { SharedGuard } from "../guards/shared-guard.ts";
import type { FollowLive } from "../snapshot/live-tree.ts";
import type { PointerVersion } from "../snapshot/stored-snapshot.ts";
import type { WithTenantRows } from "../source/tenant-rows.ts";
import type { RunDraft } from "./build-report.ts";
import type { ProgramOutcome } from "./program-outcome.ts";

/** What a command's flags decide about its builds. */
interface BuildFlags {
  /** Tenants built at a time. */
  readonly concurrency: number;
  readonly onInvalid: OnInvalid;
  readonly allowShrink: boolean;
  readonly allowEmptied: boolean;
  readonly allowShared: boolean;
  readonly allowScaled: boolean;
  readonly allowVanished: boolean;
  /** Writes every file anew, which mends a damaged file that a build would take over. */
  readonly rewrite: boolean;
  readonly dryRun: boolean;
}

/** A command's decisions about its builds, made once; session, runs and builds read this same object. */
export interface BuildOptions extends BuildFlags {
  readonly rules: ContentRules;
  /** See `recipeDigest`. */
  readonly recipe: string;
}

/** What a flag does not say is not forced. */
export function buildOptions(flags: Partial<BuildFlags>, settings: CliSettings): BuildOptions {
  const allowShared = flags.allowShared === true || settings.sharedPrograms === "warn";
  const rules = contentRules(settings);
  ownGenerator ??= generatorDigest();
  return { ...usual, ...flags, allowShared, rules, recipe: recipeDigest(ownGenerator, rules) };
}

/** The digest for this process: of its files as they were when it first built. */
let ownGenerator: string | undefined;

const usual: BuildFlags = {
  concurrency: 1,
  onInvalid: "report",
  allowShrink: false,
  allowEmptied: false,
  allowShared: false,
  allowScaled: false,
  allowVanished: false,
  rewrite: false,
  dryRun: false,
};

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

/** The folders whose code decides what a build publishes. A new page makes no build read everything. */
const publishing = ["content", "guards", "public-program", "run", "source", "tenant"];
const shared = ["core/ground", "core/store", "core/documents"];
export const codeFolders: readonly string[] = [
  "cli/database",
  ...shared,
  "schemas",
  ...publishing.map((room) => `cli/publish/${room}`),
];

/** P195: whether `what` is to be read once more after an error that passes; resolves after a pause. */
export type ReadAgain = (what: unknown, error: unknown) => Promise<boolean>;

/** P224: what a build leaves behind that published its tenant, or found it unchanged. */
export interface EndedBuild {
  /** The live one. */
  readonly manifest: Manifest;
  readonly isPublishedNow: boolean;
  readonly outcomes: readonly ProgramOutcome[];
}

/** What a build works with; time and randomness come from outside so that a build can be repeated exactly. */
export interface BuildContext {
  readonly withRows: WithTenantRows;
  /** `undefined`: rows that are not read from a database. */
  readonly readAgain?: ReadAgain | undefined;
  readonly store: ObjectStore;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onProgress: (programs: number) => void;
  /** Keeps the tenant's `live/` folder, where there may be one. */
  readonly followLive?: FollowLive | undefined;
  /** P144; `undefined`: other tenants are not looked at. */
  readonly sharedGuard?: SharedGuard | undefined;
  /** Whether a notification says that the tenant has changed. */
  readonly isNotified?: boolean | undefined;
  /** Hears of the end. Whoever keeps the outcomes keeps the memory of a tenant. */
  readonly onEnded?: ((build: EndedBuild) => void) | undefined;
  readonly signal: AbortSignal;
}

/** One attempt to build a tenant. */
export interface BuildAttempt {
  readonly tenantId: TenantId;
  readonly options: BuildOptions;
  readonly context: BuildContext;
  /** The pointer as it was read before the source; `undefined` when nothing was live. */
  readonly pointer: PointerVersion | undefined;
  readonly isHeld: boolean;
  /** P223: everything is read and nothing taken over, since the attempt before contradicted itself. */
  readonly isWhole: boolean;
  readonly readAt: Date;
  /** What the attempt finds out as it goes. */
  readonly run: RunDraft;
}
