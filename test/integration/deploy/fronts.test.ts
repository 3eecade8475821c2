import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { ask, type FrontAnswer } from "../../support/front-load.ts";
import { type FrontKind, isInstalled } from "../../support/front-process.ts";
import { startFrontStage } from "../../support/front-stage.ts";
import { eventually } from "../../support/gateway-client.ts";
import type { LogLine } from "../../support/gateway-fixture.ts";
import { filledWith } from "../../support/gateway-fixture.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { forAllTests } from "../../support/lasting.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
const spent = issueToken("acme", { rateLimit: 1 });
const unpublished = issueToken("unpublished");
const scopeless = issueToken("acme", { scopes: ["other"] });

/** Every kind of answer, in the order of the checks; the name is the request's id, too. */
const cases: readonly (readonly [
  name: string,
  status: number,
  path: string,
  token: string | undefined,
  more?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> },
])[] = [
  ["list", 200, "/v1/programs", acme.plaintext],
  ["list-gzip", 200, "/v1/programs", acme.plaintext, { headers: { "Accept-Encoding": "gzip" } }],
  ["large-detail", 200, "/v1/programs/p1", acme.plaintext],
  ["legacy", 200, "/api/v1/partner/programs", acme.plaintext],
  ["query", 200, "/v1/programs?a=%2F&b", acme.plaintext],
  ["unknown-path", 404, "/v1//programs", acme.plaintext],
  ["head", 405, "/v1/programs", acme.plaintext, { method: "HEAD" }],
  ["post", 405, "/v1/programs", acme.plaintext, { method: "POST" }],
  ["no-token", 401, "/v1/programs", undefined],
  ["long-token", 401, "/v1/programs", `ppr_${"a".repeat(9000)}`],
  ["spent-1", 0, "/v1/programs", spent.plaintext],
  ["spent-2", 0, "/v1/programs", spent.plaintext],
  ["spent-3", 429, "/v1/programs", spent.plaintext],
  ["scope", 403, "/v1/programs", scopeless.plaintext],
  ["ill-formed-id", 400, "/v1/programs/a%2Fb", acme.plaintext],
  ["unknown-program", 404, "/v1/programs/none", acme.plaintext],
  ["no-snapshot", 500, "/v1/programs", unpublished.plaintext],
];
const hopByHop = ["connection", "keep-alive", "transfer-encoding", "date", "server"];

const kinds: readonly FrontKind[] = ["nginx", "haproxy", "caddy"];
for (const kind of kinds) {
  const isMissing = !isInstalled(kind);
  describe.skipIf(isMissing)(`${kind}${isMissing ? " (not installed)" : ""}`, () => {
    const stage = forAllTests(() =>
      startFrontStage(
        kind,
        filledWith([acme, spent, unpublished, scopeless], { programIds: ["p1", "p2"], minBytes: 600_000 }),
        { TRUSTED_PROXIES: "127.0.0.1" },
      ),
    );

    const through = (
      path: string,
      token: string | undefined,
      requestId: string,
      { method = "GET", headers = {} }: NonNullable<(typeof cases)[number][4]> = {},
      from?: string,
    ): Promise<FrontAnswer> =>
      ask(
        { port: stage.front.port, certificate: stage.certificate },
        {
          ...{ path, method, headers: { ...authorized(token), "X-Request-Id": requestId, ...headers } },
          ...(from === undefined ? {} : { from }),
        },
      );
    const linesOf = (requestId: string): readonly LogLine[] =>
      stage
        .gatewayOutput()
        .split("\n")
        // The last one may be on its way.
        .slice(0, -1)
        .filter((line) => line.includes(`"${requestId}"`))
        .map((line) => JSON.parse(line));

    /** Answers of 500 that the proxy has written down. */
    const failed = (): number => stage.front.log().match(/"status":"?500/g)?.length ?? 0;

    const repeats = kind === "nginx" ? "only a 500" : "none";
    test(`W96 ${kind} passes every answer on as it is, and asks for ${repeats} again`, async () => {
      for (const [name, status, path, token, more] of cases) {
        const answer = await through(path, token, name, more);
        if (status !== 0) expect([name, answer.status]).toEqual([name, status]);
        const asked = kind === "nginx" && answer.status === 500 ? 2 : 1;
        await expect.poll(() => linesOf(name).length).toBeGreaterThanOrEqual(asked);
        // A second gateway, had it been asked, would have answered before the client had its answer.
        const statuses = Array.from({ length: asked }, () => answer.status);
        expect([name, linesOf(name).map((line) => line.status)]).toEqual([name, statuses]);
        if (token === spent.plaintext) continue;
        const direct = await askGateway(stage.gateways[0]?.api ?? "", path, token, name, more);
        expect([name, direct.status]).toEqual([name, answer.status]);
        expect(comparable(answer)).toEqual(comparable(direct));
        expect([name, answer.body.equals(direct.body)]).toEqual([name, true]);
      }
    });

    test(`W98 behind ${kind} the log names the partner's address, whatever a stranger sends`, async () => {
      const headers = { "X-Forwarded-For": "198.51.100.9, 127.0.0.1", Forwarded: "for=198.51.100.9" };
      await through("/v1/programs", acme.plaintext, "stranger", { headers }, "127.0.1.7");
      const lines = await eventually(
        () => linesOf("stranger"),
        ({ length }) => length > 0,
      );
      expect(lines.map(({ client }) => client)).toEqual(["127.0.1.7"]);
    });

    test(`the log of ${kind} has the gateway's request id, and no token`, async () => {
      const answer = await ask(
        { port: stage.front.port, certificate: stage.certificate },
        { path: `/v1/programs?token=${acme.plaintext}`, headers: authorized(acme.plaintext) },
      );
      expect(answer.status).toBe(200);
      const id = String(answer.headers["x-request-id"]);
      await expect.poll(() => stage.front.log()).toContain(id);
      expect(stage.front.log()).not.toContain("ppr_");
    });

    test(`TRACE, which ${kind} may refuse itself, gets an answer of the API's form`, async () => {
      const { status, headers, body } = await through("/v1/programs", acme.plaintext, "trace", {
        method: "TRACE",
      });
      expect([status, headers.allow, headers["cache-control"]]).toEqual([405, "GET", "no-store"]);
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
      const { error, requestId } = JSON.parse(body.toString());
      expect([error.code, requestId]).toEqual(["method_not_allowed", headers["x-request-id"]]);
    });

    test(`${kind} waits for gateways that stand still for a second, all of them at once`, async () => {
      for (const gateway of stage.gateways) gateway.signal("SIGSTOP");
      const answer = through("/v1/programs", acme.plaintext, "patient");
      // Not settled before: the pause is what is tested.
      await new Promise((resolve) => setTimeout(resolve, 1200));
      const late = through("/v1/programs", acme.plaintext, "patient-2");
      for (const gateway of stage.gateways) gateway.signal("SIGCONT");
      expect([(await answer).status, (await late).status]).toEqual([200, 200]);
    });

    test(`what ${kind} answers while no gateway is there has the API's form`, async () => {
      const before = failed();
      for (const gateway of stage.gateways) gateway.signal("SIGKILL");
      await Promise.all(stage.gateways.map(({ ended }) => ended));
      const { status, headers, body } = await through("/v1/programs", acme.plaintext, "nobody");
      const { error, requestId } = JSON.parse(body.toString());
      expect([status, error.code, headers["cache-control"]]).toEqual([500, "internal_error", "no-store"]);
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(headers["x-request-id"]).toBe(requestId);
      expect(requestId).toMatch(/^[0-9a-f-]{32,36}$/);
      await eventually(failed, (count) => count > before);
    });

    test(`no log of ${kind} has a token that a client put into the query, though no gateway is there`, async () => {
      for (const gateway of stage.gateways) gateway.signal("SIGKILL");
      await Promise.all(stage.gateways.map(({ ended }) => ended));
      const before = failed();
      const { status } = await through(`/v1/programs?token=${acme.plaintext}`, acme.plaintext, "nobody-2");
      expect(status).toBe(500);
      await eventually(failed, (count) => count > before);
      expect(stage.front.allLogs()).not.toContain("ppr_");
    });
  });
}

function authorized(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** Header lines that say the same on the way; how much of the quota is left differs from answer to answer. */
function comparable({ headers }: FrontAnswer): Readonly<Record<string, unknown>> {
  const { ratelimit, ...others } = headers;
  const kept = Object.entries(others).filter(([name]) => !hopByHop.includes(name));
  return { ...Object.fromEntries(kept), ratelimit: String(ratelimit).replace(/\b([rt])=\d+/g, "$1=0") };
}

function askGateway(
  api: string,
  path: string,
  token: string | undefined,
  requestId: string,
  { method = "GET", headers = {} }: NonNullable<(typeof cases)[number][4]> = {},
): Promise<FrontAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api);
    const all = { ...authorized(token), "X-Request-Id": requestId, ...headers };
    const req = request({ hostname, port, path, method, agent: false, headers: all }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("end", () =>
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) }),
      );
    });
    req.on("error", reject);
    req.end();
  });
}
