import type { Logger } from "../core/process/logger.ts";
import { valueNow } from "../core/process/setting-parser.ts";
import { type GatewaySettings, gatewaySettings } from "../core/process/settings.ts";
import type { AccessLog } from "./beside/access-log.ts";
import type { Metrics } from "./beside/metrics.ts";
import { BodyCache } from "./bodies/body-cache.ts";
import { createBodyPacker } from "./bodies/body-packer.ts";
import { createBodyOpener } from "./bodies/body-stream.ts";
import { FairShares } from "./bodies/fair-shares.ts";
import type { Waits } from "./clocks.ts";
import { atEndOfTurn } from "./request/end-of-turn.ts";
import { FleetCounter } from "./request/fleet-counter.ts";
import { createRequestHandler } from "./request/handle-request.ts";
import { createProcessCounter } from "./request/quota.ts";
import { legacyHeaders, Responder } from "./request/respond.ts";
import { createAnswerSender } from "./request/send-answer.ts";
import type { StoreKnowledge } from "./store-knowledge.ts";

/** What answers requests, from what the process knows of its store. */
export type Answering = ReturnType<typeof createAnswering>;

export interface AnsweringOptions {
  readonly settings: GatewaySettings;
  readonly knowledge: StoreKnowledge;
  /** How many reads of bodies there may be at a time. */
  readonly maxReads: number;
  readonly waits: Waits;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly accessLog: AccessLog | undefined;
}

export function createAnswering(options: AnsweringOptions) {
  const { settings, knowledge, maxReads, waits, metrics, accessLog } = options;
  const { reading, tokens, snapshots } = knowledge;
  const { callTimeoutMs } = reading;
  const clock = reading.clocks.monotonicMs;
  const { rateLimitWindowSeconds: windowSeconds } = settings;
  const open = createBodyOpener(reading);
  // A read whose share came late still has half of its time.
  const reads = new FairShares(maxReads, callTimeoutMs / 2, metrics.shareRefused);
  const bodies = new BodyCache({
    ...reading,
    reads,
    packer: createBodyPacker(open, reads, callTimeoutMs),
    maxBytes: settings.cacheMaxMb * 1024 * 1024,
    packingWaitMs: waits.packingMs,
    onLookup: metrics.cacheLookup,
  });
  const respond = new Responder({
    open,
    reads,
    bodies,
    windowSeconds,
    legacyHeaders: legacyHeaders(settings.legacyDeprecatedAt, settings.legacySunset),
    send: createAnswerSender(settings.keepAliveTimeoutSeconds * 1000),
    limits: { stallMs: settings.sendStallSeconds * 1000, totalMs: settings.sendTimeoutSeconds * 1000 },
    observe(exchange, outcome) {
      const nowMs = clock();
      const { route, token, startedAtMs } = exchange;
      metrics.request(route, outcome.status, nowMs - startedAtMs);
      if (token !== undefined) metrics.tokenRequest(token.tokenId, outcome.status, exchange.quota, nowMs);
      accessLog?.exchange(exchange, outcome, nowMs);
    },
  });
  const { counter, fleet } = createCounter(options);
  const handle = createRequestHandler({ tokens, counter, windowSeconds, snapshots, bodies, respond });
  return { handle: atEndOfTurn(handle), bodies, fleet };
}

/** W53: this process counts when no Redis is set (`fleet` is `undefined` then), and while Redis is away. */
function createCounter({ settings, knowledge, waits, logger }: AnsweringOptions) {
  const { rateLimitWindowSeconds: windowSeconds, redisUrl, redisUrlFile } = settings;
  const own = createProcessCounter(windowSeconds, knowledge.reading.clocks.monotonicMs);
  if (redisUrl === undefined) return { counter: own, fleet: undefined };
  const fleet = new FleetCounter({
    url: () => valueNow(gatewaySettings.redisUrl, redisUrlFile, redisUrl) ?? redisUrl,
    windowSeconds,
    timeoutMs: waits.redisMs,
    insurance: own,
    logger,
  });
  return { counter: fleet, fleet };
}
