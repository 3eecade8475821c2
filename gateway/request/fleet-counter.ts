import { asFailure } from "../../core/ground/failure.ts";
import type { Logger } from "../../core/process/logger.ts";
import { createOutageLog, type OutageLog } from "../known/outage-log.ts";
import type { WindowCounter, WindowState } from "./quota.ts";
import { RedisConnection, type RedisConnectionOptions } from "./redis-connection.ts";

/**
 * One counter for all gateways that share a Redis or Valkey, where increment and expiry are one atomic
 * script. While Redis is away, also at the start, `insurance` counts (W53). A partner then gets at most one
 * more quota per gateway and window, and never an error.
 */
export class FleetCounter implements WindowCounter {
  readonly #connection: RedisConnection;
  readonly #insurance: WindowCounter;
  readonly #timeoutMs: number;
  readonly #logger: Logger;
  readonly #outage: OutageLog;
  /** Whether Redis counted, or could have, when it was last heard of; `undefined` before that. */
  #wasShared: boolean | undefined;

  constructor(
    options: Pick<RedisConnectionOptions, "url" | "windowSeconds"> & {
      /** How long a request waits for Redis before this process counts it alone. */
      readonly timeoutMs: number;
      /** Counts while Redis is away. */
      readonly insurance: WindowCounter;
      readonly logger: Logger;
    },
  ) {
    const { url, windowSeconds, timeoutMs, insurance, logger } = options;
    this.#timeoutMs = timeoutMs;
    this.#insurance = insurance;
    this.#logger = logger;
    this.#outage = createOutageLog(logger, texts, () => performance.now());
    this.#connection = new RedisConnection({
      url,
      windowSeconds,
      onReady: () => this.#noteShared(),
      onAway: (error) => this.#noteAway(error),
    });
  }

  async hit(key: string): Promise<WindowState> {
    if (!this.#connection.isReady()) return this.#insurance.hit(key);
    try {
      const state = await this.#connection.count(key, this.#timeoutMs);
      this.#noteShared();
      return state;
    } catch (error) {
      this.#noteAway(error);
      return this.#insurance.hit(key);
    }
  }

  /** Whether hits are counted for the whole fleet now; else by this process alone. */
  isShared(): boolean {
    return this.#wasShared === true && this.#connection.isReady();
  }

  close(): void {
    this.#connection.close();
  }

  #noteShared(): void {
    if (this.#wasShared === undefined) this.#logger.info(texts.succeeded);
    else if (!this.#wasShared) this.#outage.succeeded();
    this.#wasShared = true;
  }

  #noteAway(error: unknown): void {
    this.#outage.failed(asFailure(error));
    this.#wasShared = false;
  }
}

const texts = {
  failed: "Redis is away: requests are counted by this process alone",
  succeeded: "requests are counted in Redis, for the whole fleet",
};
