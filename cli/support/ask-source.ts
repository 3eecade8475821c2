import { asFailure } from "../../core/failure.ts";
import type { SourceClient } from "../database/connect.ts";
import { withSourceReading } from "../database/with-source-reading.ts";
import type { CliSettings } from "../shell/shell.ts";

/** What the source could not be asked, and why. */
export interface SourceAway {
  readonly kind: "unavailable";
  readonly reason: string;
}

/** Asks the source for as long as somebody waits. Never throws for its sake: the store alone explains much. */
export async function askSource<Answer>(
  settings: CliSettings,
  { maxMs, signal }: { readonly maxMs: number; readonly signal: AbortSignal },
  read: (client: SourceClient) => Promise<Answer>,
): Promise<Answer | SourceAway> {
  const asking = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  try {
    return await withSourceReading(settings, asking, read);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = asking.aborted ? `no answer within ${maxMs / 1000} s` : asFailure(error).message;
    return { kind: "unavailable", reason };
  }
}
