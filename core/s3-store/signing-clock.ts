import type { S3Client } from "@aws-sdk/client-s3";
import { s3Error } from "./s3-error.ts";

/**
 * P183: the clock that requests are signed by is this machine's, until the store refuses a signature for its time; then it is
 * the store's. The SDK follows the `Date` of every answer, so that one wrong answer of a proxy or a node would make all later
 * signatures wrong, also where this machine's clock is right.
 */
export function keepSigningClock(client: S3Client): void {
  let offsetMs = 0;
  Object.defineProperty(client.config, "systemClockOffset", {
    get: () => offsetMs,
    set: () => {},
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const storeMs = s3Error(error).kind === "clock_skew" ? Date.parse(dateOf(error)) : Number.NaN;
        if (!Number.isNaN(storeMs)) offsetMs = storeMs - Date.now();
        throw error;
      }
    },
    { step: "finalizeRequest", priority: "high", name: "keepSigningClock" },
  );
}

/** The `Date` of the answer that the SDK made the error of. */
function dateOf(error: unknown): string {
  const headers = property(property(error, "$response"), "headers");
  return String(property(headers, "date") ?? "");
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
