import { expect } from "vitest";
import { authorized, describeWire, request, type WireCase } from "../../support/gateway-wire.ts";

const challenge = 'Bearer realm="programs"';
const invalidToken = `${challenge}, error="invalid_token"`;

function unauthorized(name: string, authenticate: string, ...headers: readonly string[]): WireCase {
  return {
    name,
    send: request("GET /v1/programs", ...headers),
    answers: ["401 unauthorized"],
    ending: "open",
    also: (answer) => {
      expect(answer?.header("www-authenticate")).toBe(authenticate);
      expect(answer?.header("ratelimit")).toBeUndefined();
    },
  };
}

function accepted(name: string, ...headers: readonly string[]): WireCase {
  return { name, send: request("GET /v1/programs", ...headers), answers: ["200 list"], ending: "open" };
}

describeWire("W31 check 4: the token is known, not revoked, not expired", [
  unauthorized("W33 no Authorization header", challenge),
  unauthorized("a token without a scheme", challenge, "Authorization: {token}"),
  unauthorized("Bearer without a token", invalidToken, "Authorization: Bearer"),
  unauthorized("Bearer and a tab", challenge, "Authorization: Bearer\t{token}"),
  unauthorized("a token in quotes", invalidToken, 'Authorization: Bearer "{token}"'),
  unauthorized("two tokens in one header", invalidToken, "Authorization: Bearer {token} {token}"),
  unauthorized(
    "a token with a wrong checksum",
    invalidToken,
    `Authorization: Bearer ppr_${"A".repeat(43)}000000`,
  ),
  unauthorized("a token that never was", invalidToken, "Authorization: Bearer {unknown}"),
  unauthorized("a revoked token", invalidToken, "Authorization: Bearer {revoked}"),
  unauthorized("an expired token", invalidToken, "Authorization: Bearer {expired}"),
  unauthorized("two Authorization headers", invalidToken, authorized, "Authorization: Bearer {other}"),
  unauthorized("W31 two equal Authorization headers", invalidToken, authorized, authorized),
  unauthorized(
    "a second Authorization header far behind the first",
    invalidToken,
    authorized,
    ...Array(1500).fill("a:b"),
    authorized,
  ),
  unauthorized(
    "a token in another header",
    challenge,
    "X-Api-Key: {token}",
    "Proxy-Authorization: Bearer {token}",
  ),
  {
    name: "W30 a token in the query",
    send: request("GET /v1/programs?access_token={token}"),
    answers: ["401 unauthorized"],
    ending: "open",
  },
  {
    name: "W10 no token and an ill-formed id: the token comes first",
    send: request("GET /v1/programs/%zz"),
    answers: ["401 unauthorized"],
    ending: "open",
  },
  {
    name: "W10 no token and an unknown path: the path comes first",
    send: request("GET /unknown"),
    answers: ["404 not_found"],
    ending: "open",
  },
  accepted("a token that expires later", "Authorization: Bearer {expiring}"),
  accepted("W30 bearer in lower case", "Authorization: bearer {token}"),
  accepted("several spaces before the token", "Authorization: Bearer    {token}"),
  accepted("white space behind the token", "Authorization: Bearer {token} \t"),
  accepted(
    "W4 a companyId in a header changes nothing",
    authorized,
    "X-Company-Id: globex",
    "companyId: globex",
  ),
]);

describeWire("W34 check 6: the token has the scope", [
  ...[
    "/v1/programs",
    "/v1/programs/p1",
    "/v1/programs/unknown",
    "/v1/programs/%zz",
    "/api/v1/partner/programs",
  ].map(
    (path): WireCase => ({
      name: `${path} with another scope: the scope comes before the id`,
      send: request(`GET ${path}`, "Authorization: Bearer {noScope}"),
      answers: ["403 forbidden"],
      ending: "open",
      also: (answer) => {
        expect(answer?.header("www-authenticate")).toBe(
          `${challenge}, error="insufficient_scope", scope="programs.read"`,
        );
        expect(answer?.header("ratelimit")).toMatch(/^"default";r=\d+;t=\d+$/);
        expect(answer?.header("snapshot-id")).toBeUndefined();
      },
    }),
  ),
  {
    name: "T13 a token of a tenant without a snapshot",
    send: request("GET /v1/programs", "Authorization: Bearer {unpublished}"),
    answers: ["500 internal_error"],
    ending: "open",
  },
]);
