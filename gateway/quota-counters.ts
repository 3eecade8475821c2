import type { Logger } from "../core/logger.ts";
import { createFleetCounter, type FleetCounter } from "./fleet-counter.ts";
import { createProcessCounter, type WindowCounter } from "./quota.ts";

export interface QuotaCounters {
  /** Whose counts decide. */
  readonly counter: WindowCounter;
  /** The same, where `REDIS_URL` names what all gateways count in. */
  readonly fleet: FleetCounter | undefined;
}

export interface QuotaCountersOptions {
  readonly redisUrl: URL | undefined;
  readonly redisTimeoutMs: number;
  readonly windowSeconds: number;
  readonly clock: () => number;
  readonly logger: Logger;
}

/** Counts in Redis if one is set, and in this process without, or while it is away (W53). */
export function createQuotaCounters(options: QuotaCountersOptions): QuotaCounters {
  const { redisUrl: url, redisTimeoutMs: timeoutMs, windowSeconds, clock, logger } = options;
  const insurance = createProcessCounter(windowSeconds, clock);
  const fleet = url && createFleetCounter({ url, windowSeconds, timeoutMs, insurance, logger });
  return { counter: fleet ?? insurance, fleet };
}
