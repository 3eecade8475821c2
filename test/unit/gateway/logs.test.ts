import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findRequests } from "../../../cli/read/gateway-log/find-requests.ts";
import { requestLine } from "../../../cli/read/gateway-log/request-line.ts";
import { refusalCodes } from "../../../core/ground/cause-code.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { createLogger } from "../../../core/process/logger.ts";
import { createAccessLog } from "../../../gateway/beside/access-log.ts";
import { createOutageLog } from "../../../gateway/known/outage-log.ts";

function outageLog() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ level: "info", program: "test", destination });
  const time = { ms: 5 };
  const log = createOutageLog(
    logger,
    { failed: "away", succeeded: "back" },
    () => time.ms,
    () => ({ tenantId: "a" }),
  );
  return { log, lines, time };
}

const away = (n: number): Failure => new Failure("store_unavailable", `Request ${n} got 503.`);

describe("what is tried twice a second and fails for an hour", () => {
  test("is said at once and then once a minute, with the last cause and how often it failed meanwhile (W90)", () => {
    const { log, lines, time } = outageLog();
    for (let n = 0; n < 7200; n++, time.ms += 500) log.failed(away(n));
    expect(lines).toHaveLength(60);
    expect(lines[0]).toMatchObject({
      msg: "away",
      tenantId: "a",
      causeCode: "store_unavailable",
      cause: "Request 0 got 503.",
    });
    expect(lines[0]).not.toHaveProperty("repeated");
    expect(lines[1]).toMatchObject({ msg: "away", cause: "Request 120 got 503.", repeated: 119 });
    log.succeeded();
    expect(lines.at(-1)).toMatchObject({ msg: "back", tenantId: "a" });
  });

  test("is said again at once when it fails for another reason (W90)", () => {
    const { log, lines } = outageLog();
    log.failed(away(1));
    log.failed(new Failure("corrupt_document", "auth/tokens.json is no JSON."));
    expect(lines.map(({ cause }) => cause)).toEqual(["Request 1 got 503.", "auth/tokens.json is no JSON."]);
  });
});

test("what comes and goes twice a second is not said twice a second (W90)", () => {
  const { log, lines, time } = outageLog();
  for (let n = 0; n < 240; n++, time.ms += 250) {
    log.failed(away(n));
    log.succeeded();
  }
  expect(lines.map(({ msg }) => msg)).toEqual(["away", "back"]);
});

test("whatever the cause says, a refusal is one line of JSON", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const lines: string[] = [];
      const log = createAccessLog({ write: (line) => lines.push(line) }, "test", 60);
      log.refusal({
        requestId: "r-1",
        route: "unknown",
        status: 400,
        cause: { code: "malformed_request", text },
      });
      const [line = ""] = lines;
      expect(line.indexOf("\n")).toBe(line.length - 1);
      expect(JSON.parse(line)).toMatchObject({
        msg: "request",
        requestId: "r-1",
        status: 400,
        causeCode: "malformed_request",
        cause: text,
      });
    }),
  );
});

/** An exchange of which each field is left out or as long as it can be, but for what no log shows. */
const exchanges = fc.record({
  requestId: fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/).filter((id) => !/ppr_/i.test(id)),
  programId: fc.option(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9.~-]{0,127}$/), { nil: undefined }),
  token: fc.option(
    fc.constant({ tokenId: "tok_1", tenantId: "a".repeat(64), limit: Number.MAX_SAFE_INTEGER }),
    { nil: undefined },
  ),
  snapshot: fc.option(
    fc.constant({
      manifest: { snapshotId: "20261121T120000Z-17e29921" },
      unconfirmed: { since: "2026-11-21T12:00:00.000Z", code: "store_unavailable" },
    }),
    { nil: undefined },
  ),
  cause: fc.option(
    fc.record({ code: fc.constantFrom(...refusalCodes), text: fc.string({ unit: "binary" }) }),
    { nil: undefined },
  ),
  route: fc.constantFrom("list", "detail", "legacy", "unknown"),
  nth: fc.integer({ min: 1 }),
  acceptsGzip: fc.option(fc.boolean(), { nil: undefined }),
});
const outcomes = fc.record({
  status: fc.integer({ min: 200, max: 599 }),
  bytes: fc.nat(),
  isCut: fc.boolean(),
});
const wrappings = fc.array(fc.constantFrom("log", "MESSAGE", "message", "line"), { maxLength: 3 });

test("P209 whatever the gateway writes of a request, support reads, through three collectors and in a long log", async () => {
  await fc.assert(
    fc.asyncProperty(exchanges, outcomes, wrappings, async (own, outcome, keys) => {
      const lines: string[] = [];
      const connection = { id: "c-1", isProxied: true };
      const req = { method: "GET", rawHeaders: [] };
      const exchange = { ...own, req, connection, objectKey: undefined, encoding: "gzip", quota: undefined };
      const log = createAccessLog({ write: (line) => lines.push(line) }, "test", 60, () => "2001:db8::1");
      log.exchange({ ...exchange, startedAtMs: 0 } as never, outcome, 86_400_000.0004);
      const wrapped = keys.reduce((line, key) => JSON.stringify({ [key]: line }), (lines[0] ?? "").trimEnd());
      const read = requestLine(wrapped);
      expect(read).toMatchObject({
        ...outcome,
        requestId: own.requestId,
        programId: own.programId ?? null,
        tenantId: own.token?.tenantId ?? null,
        limit: own.token?.limit ?? null,
        snapshotId: own.snapshot?.manifest.snapshotId ?? null,
        unconfirmedSince: own.snapshot?.unconfirmed.since ?? null,
        cause: own.cause?.text ?? null,
        causeCode: own.cause?.code ?? null,
        route: own.route,
        nth: own.nth,
        acceptsGzip: own.acceptsGzip ?? null,
        client: "2001:db8::1",
        durationMs: 86_400_000,
      });
      const stdin = (async function* () {
        yield Buffer.from(`other\n${wrapped}\n`);
      })();
      const found = await findRequests([{ name: "-", stdin }], own.requestId, new AbortController().signal);
      expect(found.requests).toEqual([read]);
    }),
  );
});
