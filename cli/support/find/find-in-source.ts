import { setTimeout as delay } from "node:timers/promises";
import { asFailure } from "../../../core/failure.ts";
import { withSourceReading } from "../../database/with-source-reading.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { type FoundInSource, findProgramsInSource } from "../../source/find-programs.ts";
import type { SourceAway } from "../ask-source.ts";

/** What the source says, or why it could not be asked. */
export type SourceSearch =
  | { readonly kind: "asked"; readonly programs: readonly FoundInSource[] }
  | SourceAway;

/** Somebody waits for the page. */
const maxWaitMs = 3000;
const maxFound = 50;

/** P69: never throws for the source's sake, and never takes longer than a person waits. */
export async function findInSource(
  settings: CliSettings,
  words: readonly string[],
  signal: AbortSignal,
): Promise<SourceSearch> {
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const asked = withSourceReading(settings, until, (client) =>
    findProgramsInSource(client, words, maxFound),
  ).then(
    (programs): SourceSearch => ({ kind: "asked", programs }),
    (error: unknown): SourceSearch => ({ kind: "unavailable", reason: asFailure(error).message }),
  );
  const late: SourceSearch = {
    kind: "unavailable",
    reason: `It did not answer within ${maxWaitMs / 1000} seconds.`,
  };
  try {
    return await Promise.race([asked, delay(maxWaitMs, late, { ref: false, signal: until })]);
  } finally {
    ending.abort();
  }
}
