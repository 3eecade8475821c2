import fc from "fast-check";
import { expect, test } from "vitest";
import { createAccessLog } from "../../../gateway/access-log.ts";

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
