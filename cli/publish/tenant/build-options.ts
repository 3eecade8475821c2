import type { CliSettings } from "../../shell/shell.ts";
import { type ContentRules, contentRules, generatorDigest, recipeDigest } from "../content/content-rules.ts";
import type { OnInvalid } from "../guards/guards.ts";

/** What a command's flags decide about its builds. */
export interface BuildFlags {
  /** Tenants built at a time. */
  readonly concurrency: number;
  readonly onInvalid: OnInvalid;
  readonly allowShrink: boolean;
  readonly allowEmptied: boolean;
  readonly allowShared: boolean;
  /** Writes every file anew, which mends a damaged file that a build would take over. */
  readonly rewrite: boolean;
  readonly dryRun: boolean;
}

/**
 * The decisions about builds. A command makes them once, and the session, each run and each tenant's build read this same object.
 */
export interface BuildOptions extends BuildFlags {
  readonly rules: ContentRules;
  /** See `recipeDigest`. */
  readonly recipe: string;
}

export function buildOptions(flags: BuildFlags, settings: CliSettings): BuildOptions {
  const allowShared = flags.allowShared || settings.sharedPrograms === "warn";
  const rules = contentRules(settings);
  return { ...flags, allowShared, rules, recipe: recipeDigest(generatorDigest(), rules) };
}
