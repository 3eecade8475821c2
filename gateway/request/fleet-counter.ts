import { asFailure } from "../../core/ground/failure.ts";
import type { Logger } from "../../core/process/logger.ts";
import { createOutageLog, type OutageLog } from "../known/outage-log.ts";
import type { WindowCounter, WindowState } from "./quota.ts";
import { RedisConnection, type RedisConnectionOptions } from "./redis-connection.ts";

interface FleetCounterOptions extends Pick<RedisConnectionOptions, "url" | "windowSeconds"> {
  /** How long a request waits for Redis before this process counts it alone. */
  readonly timeoutMs: number;
  /** Counts while Redis is away. */
  readonly insurance: WindowCounter;
  readonly logger: Logger;
}

/**
 * One counter for all gateways that share a Redis or Valkey, where increment and expiry are one atomic
 * script. While Redis is away, also at the start, `insurance` counts (W53). A partner then gets at most one
 * more quota per gateway and window, and never an error.
 */
export class FleetCounter implements WindowCounter {
  readonly #options: FleetCounterOptions;
  readonly #connection: RedisConnection;
  readonly #outage: OutageLog;
  /** Whether Redis counted, or could have, when it was last heard of; `undefined` before that. */
  #wasShared: boolean | undefined;

  constructor(options: FleetCounterOptions) {
    this.#options = options;
    this.#outage = createOutageLog(options.logger, texts, () => performance.now());
    this.#connection = new RedisConnection({
      ...options,
      onReady: () => this.#noteShared(),
      onAway: (error) => this.#noteAway(error),
    });
  }

  async hit(key: string): Promise<WindowState> {
    const { timeoutMs, insurance } = this.#options;
    if (!this.#connection.isReady()) return insurance.hit(key);
    try {
      const state = await this.#connection.count(key, timeoutMs);
      this.#noteShared();
      return state;
    } catch (error) {
      this.#noteAway(error);
      return insurance.hit(key);
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
    if (this.#wasShared === undefined) this.#options.logger.info(texts.succeeded);
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
