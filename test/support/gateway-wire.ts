import { describe, expect, test } from "vitest";
import { startGateway } from "./gateway-fixture.ts";
import { type PublishedSnapshot, publishSnapshot } from "./gateway-snapshots.ts";
import { issueToken } from "./gateway-tokens.ts";
import { forAllTests } from "./lasting.ts";
import { converse, type RawResponse } from "./raw-http.ts";

export type AnswerCheck = (...answers: readonly RawResponse[]) => void;

/**
 * One row of the table: bytes in, answers out. `{token}` and the like in the bytes stand for the fixture's
 * tokens.
 */
export interface WireCase {
  readonly name: string;
  readonly send: string | readonly string[];
  /**
   * The answers in order: `200 list`, `200 legacy`, `200 detail ID`, or a status with its error code. Empty:
   * none.
   */
  readonly answers: readonly string[];
  /** Whether the connection takes another request afterwards. */
  readonly ending: "open" | "closed";
  readonly halfClose?: boolean;
  readonly bodiless?: boolean;
  readonly isBytewise?: boolean;
  /** What else holds of the answers. */
  readonly also?: AnswerCheck;
}

/** A request of HTTP/1.1 as bytes, `Host` included. */
export function request(line: string, ...headers: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, "Host: api.example", ...headers].join("\r\n")}\r\n\r\n`;
}

export const authorized = "Authorization: Bearer {token}";

const messages = {
  "400": ["invalid_request", "Invalid request"],
  "401": ["unauthorized", "Authentication required"],
  "403": ["forbidden", "Insufficient scope"],
  "404": ["not_found", "Resource not found"],
  "405": ["method_not_allowed", "Method not allowed"],
  "429": ["rate_limit_exceeded", "Rate limit exceeded"],
  "500": ["internal_error", "Internal error"],
} as const;

/** Tests every case against one gateway, each under a name that states what goes in and what comes out. */
export function describeWire(title: string, cases: readonly WireCase[]): void {
  describe(title, () => {
    let snapshot: PublishedSnapshot;
    const tokens = {
      token: issueToken("acme"),
      noScope: issueToken("acme", { scopes: ["other.read"] }),
      revoked: issueToken("acme", { revokedAt: "2026-01-02T00:00:00.000Z" }),
      expired: issueToken("acme", { expiresAt: "2026-01-02T00:00:00.000Z" }),
      expiring: issueToken("acme", { expiresAt: "2999-01-01T00:00:00.000Z" }),
      unpublished: issueToken("nobody"),
      other: issueToken("globex"),
      unknown: issueToken("acme"),
    };
    const gateway = forAllTests(() =>
      startGateway({
        env: { RATE_LIMIT_REQUESTS: "1000000", LEGACY_SUNSET: "2030-01-01T00:00:00Z" },
        async fill(store, file) {
          const { unknown: _, ...issued } = tokens;
          await file.write(Object.values(issued));
          snapshot = await publishSnapshot(store, "acme", {
            programIds: ["p1", "p2", "A~b._-9"],
            minBytes: 2000,
          });
          await publishSnapshot(store, "globex", { programIds: ["g1"] });
        },
      }),
    );

    const filled = (bytes: string): string =>
      bytes.replace(/\{(\w+)\}/g, (whole, name: string) => {
        return name in tokens ? tokens[name as keyof typeof tokens].plaintext : whole;
      });

    for (const {
      name,
      send,
      answers,
      ending,
      halfClose = false,
      bodiless = false,
      isBytewise = false,
      also,
    } of cases) {
      const outcome = answers.length === 0 ? "no answer" : answers.join(", then ");
      test(`${name} → ${outcome}; connection ${ending}`, async () => {
        const pieces = isBytewise ? [...filled(String(send))] : [send].flat().map(filled);
        const probe = ending === "open" ? [request("GET /still-open", "X-Request-Id: still-open")] : [];
        const {
          responses,
          rest,
          ending: ended,
        } = await converse(gateway.api, {
          send: [...pieces, ...probe],
          ...(ending === "open" ? { responses: answers.length + 1 } : {}),
          halfClose,
          bodiless: bodiless ? answers.length : 0,
        });
        expect(rest.toString("latin1")).toBe("");
        expect(ended).toBe(ending);
        if (ending === "open") expect(responses.at(-1)?.header("x-request-id")).toBe("still-open");
        const given = responses.slice(0, answers.length);
        expect(given.map((answer) => shown(answer, snapshot, bodiless))).toEqual(answers);
        expect(responses).toHaveLength(answers.length + probe.length);
        for (const answer of given) expectWellFormed(answer, bodiless);
        also?.(...given);
      });
    }
  });
}

/** What holds of every response, whatever it says. */
export function expectWellFormed(answer: RawResponse, bodiless: boolean): void {
  const names = answer.headers.map(([name]) => name);
  expect(new Set(names).size, `repeated header in ${names.join(", ")}`).toBe(names.length);
  expect(answer.header("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.header("cache-control")).toBe("no-store");
  expect(answer.header("date")).toMatch(/GMT$/);
  expect(answer.header("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  for (const name of names)
    expect(name).not.toMatch(/^(x-powered-by|etag|server|access-control-.*|set-cookie)$/);
  if (answer.status === 200) {
    expect(answer.header("vary")).toBe("Accept-Encoding");
    return;
  }
  const [code, message] = messages[String(answer.status) as keyof typeof messages];
  if (bodiless) return;
  expect(JSON.parse(answer.body.toString("utf8"))).toStrictEqual({
    error: { code, message },
    requestId: answer.header("x-request-id"),
  });
}

function shown(answer: RawResponse, snapshot: PublishedSnapshot, bodiless: boolean): string {
  const { status, body } = answer;
  if (bodiless) return `${status} without body`;
  if (answer.header("content-encoding") !== undefined)
    return `${status} ${answer.header("content-encoding")}`;
  if (status !== 200) return `${status} ${JSON.parse(body.toString("utf8")).error.code}`;
  if (body.equals(snapshot.list)) return "200 list";
  if (body.equals(snapshot.legacy)) return "200 legacy";
  for (const [id, bytes] of snapshot.details) if (body.equals(bytes)) return `200 detail ${id}`;
  return `200 ${body.toString("latin1").slice(0, 100)}`;
}
