import { expect, test } from "vitest";
import { startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { forAllTests } from "../../support/lasting.ts";
import { inlineCode, page, tableAfter } from "../../support/markdown.ts";

const fixture = forAllTests(() =>
  startGateway({
    env: { TRUSTED_PROXIES: "127.0.0.1" },
    async fill(store, tokens) {
      await publishSnapshot(store, "alpine-walks", { programIds: ["a"] });
      await tokens.write([token]);
    },
  }),
);
const token = issueToken("alpine-walks");

test("the page for programs lists every field of a request's log line", async () => {
  const headers = { Authorization: `Bearer ${token.plaintext}`, "X-Forwarded-For": "203.0.113.7" };
  for (const path of ["/v1/programs/a", "/v1/programs/b", "/v1/programs"]) {
    await (await fetch(fixture.api + path, { headers })).arrayBuffer();
  }
  const logged = new Set(fixture.log.filter(({ msg }) => msg === "request").flatMap(Object.keys));
  const listed = tableAfter(page("docs/json.md").text, "<!-- log fields -->").flatMap(([fields = ""]) =>
    inlineCode(fields),
  );
  // `isCut` is there only when a client left, `retryAfter` only on a 429, the others only while the store is away.
  const occasional = ["isCut", "retryAfter", "unconfirmedSince", "unconfirmedCode"];
  expect([...logged, ...occasional].toSorted()).toEqual(listed.toSorted());
});
