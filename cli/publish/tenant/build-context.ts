import type { Current } from "../../../core/current.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { CliSettings } from "../../shell/shell.ts";
import {
  type ContentRules,
  contentRules,
  ownGeneratorDigest,
  recipeDigest,
} from "../content/content-rules.ts";
import type { OnInvalid } from "../guards/guards.ts";
import type { SharedGuard } from "../guards/shared-guard.ts";
import type { PointerVersion } from "../snapshot/live-snapshot.ts";
import type { FollowLive } from "../snapshot/live-tree.ts";
import type { WithTenantRows } from "../source/tenant-rows.ts";
import type { RunDraft } from "./build-report.ts";

/** What a command's flags decide about its builds. */
interface BuildFlags {
  /** Tenants built at a time. */
  readonly concurrency: number;
  readonly onInvalid: OnInvalid;
  readonly allowShrink: boolean;
  readonly allowEmptied: boolean;
  readonly allowShared: boolean;
  readonly allowVanished: boolean;
  /** Writes every file anew, which mends a damaged file that a build would take over. */
  readonly rewrite: boolean;
  readonly dryRun: boolean;
}

/** The decisions about builds, made once by a command; session, runs and builds of tenants read this same object. */
export interface BuildOptions extends BuildFlags {
  readonly rules: ContentRules;
  /** See `recipeDigest`. */
  readonly recipe: string;
}

/** What a flag does not say is not forced. */
export function buildOptions(flags: Partial<BuildFlags>, settings: CliSettings): BuildOptions {
  const allowShared = flags.allowShared === true || settings.sharedPrograms === "warn";
  const rules = contentRules(settings);
  return { ...usual, ...flags, allowShared, rules, recipe: recipeDigest(ownGeneratorDigest(), rules) };
}

const usual: BuildFlags = {
  ...{ concurrency: 1, onInvalid: "report", rewrite: false, dryRun: false },
  ...{ allowShrink: false, allowEmptied: false, allowShared: false, allowVanished: false },
};

/** What a build works with; time and randomness come from outside so that a build can be repeated exactly. */
export interface BuildContext {
  readonly withRows: WithTenantRows;
  readonly store: ObjectStore;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onProgress: (programs: number) => void;
  /** Keeps the tenant's `live/` folder, where there may be one. */
  readonly followLive?: FollowLive | undefined;
  /** P144; `undefined`: other tenants are not looked at. */
  readonly sharedGuard?: SharedGuard | undefined;
  readonly signal: AbortSignal;
}

/** One attempt to build a tenant. */
export interface Attempt {
  readonly tenantId: TenantId;
  readonly options: BuildOptions;
  readonly context: BuildContext;
  /** The pointer as it was read before the source; `undefined` when nothing was live. */
  readonly pointer: PointerVersion | undefined;
  readonly isHeld: boolean;
  readonly readAt: Date;
  /** What the attempt finds out as it goes. */
  readonly run: RunDraft;
}

/** What partners of a tenant see. `manifest` is `undefined` when it cannot be trusted. */
export interface Live {
  readonly current: Current;
  readonly manifest: Manifest | undefined;
}
