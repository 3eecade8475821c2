import fc from "fast-check";
import { describe, expect, test } from "vitest";
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
    () => ({
      tenantId: "a",
    }),
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
