import { InvalidArgumentError, Option } from "commander";
import { durationMs } from "../../core/setting-parser.ts";

/** The flag of `buildWithinOption`, in milliseconds; 26 hours when it is not given. */
export interface BuildWithin {
  readonly buildWithin?: number;
}

/** How often builds come, which the store does not say: a tenant without a build for that time is told as silent (P50). */
export function buildWithinOption(): Option {
  const about = "the time within which a build of each tenant is expected: 2h, 2d (default: 26h)";
  return new Option("--build-within <duration>", about).argParser((text) => {
    const ms = durationMs(text);
    if (ms > 0) return ms;
    throw new InvalidArgumentError("Expected a duration: 26h, 2d.");
  });
}
