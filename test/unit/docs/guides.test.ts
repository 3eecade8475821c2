import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hintRules } from "../../../cli/operate/source-check/hint-rules.ts";
import { type IamPolicy, iamPolicies } from "../../../cli/operate/store-check/iam-policies.ts";
import { problemRules } from "../../../cli/publish/public-program/problem.ts";
import { exitStatuses } from "../../../cli/shell/exit-status.ts";
import { refusalCodes } from "../../../core/ground/cause-code.ts";
import { createMetrics } from "../../../gateway/beside/metrics.ts";
import { processClocks } from "../../../gateway/clocks.ts";
import { type ErrorCode, errorEnvelope, errorStatus } from "../../../gateway/request/refusal.ts";
import { inlineCode, page, projectRoot, tableAfter } from "../../support/markdown.ts";

const { text } = page("docs/operators.md");

describe("the operator guide", () => {
  test("explains every finding, with its severity", () => {
    const rows = tableAfter(text, "<!-- problems -->").map(([code = "", severity]) => [
      code.replaceAll("`", ""),
      severity,
    ]);
    const rules = Object.entries(problemRules).map(([code, { severity }]) => [code, severity]);
    expect(rows.toSorted()).toEqual(rules.toSorted());
  });

  test("explains every hint of a check", () => {
    const codes = tableAfter(text, "<!-- hints -->").map(([code = ""]) => code.replaceAll("`", ""));
    expect(codes).toEqual(Object.keys(hintRules));
  });

  test("lists every metric with its labels", async () => {
    const said = await createMetrics().text({
      clocks: processClocks,
      tokens: {
        bytes: () => 0,
        ageMs: () => 0,
        counts: () => ({ valid: 0, expired: 0, revoked: 0 }),
        expiring: () => [],
      },
      watch: { storeId: () => undefined, otherStoreId: () => undefined },
      snapshots: { ages: () => [] },
      readiness: { notReadyCause: () => undefined, isServingLastGood: () => false },
      freshness: { oldest: () => [] },
      bodies: { size: () => 0 },
      connections: { count: () => 0 },
      fleet: undefined,
      mirror: undefined,
    });
    const exposed = [...said.matchAll(/^# TYPE (gateway_\w+)/gm)].map(([, name]) => name);
    const listed = tableAfter(text, "<!-- metrics -->").flatMap(([name = ""]) => inlineCode(name));
    expect(listed.toSorted()).toEqual(exposed.toSorted());
  });

  test("lists every code of a refusal, and of failures those that a gateway meets", () => {
    const listed = tableAfter(page("docs/json.md").text, "<!-- cause codes -->").flatMap(([code = ""]) =>
      inlineCode(code),
    );
    const failures = [
      ...["not_found", "corrupt_document", "internal", "no_share"],
      ...["store_unavailable", "store_denied", "store_unsupported"],
    ];
    expect(listed.toSorted()).toEqual([...refusalCodes, ...failures].toSorted());
  });
});

test("docs/commands.md explains every exit status", () => {
  const listed = tableAfter(page("docs/commands.md").text, "## Exit statuses").map(([status]) =>
    Number(status),
  );
  expect(listed).toEqual([0, 1, 2, 3, 4, 130]);
  expect([exitStatuses.shrink_guard, exitStatuses.held, exitStatuses.store_unsupported]).toEqual([4, 4, 4]);
});

describe("the partner guide", () => {
  const { text } = page("docs/partners.md");

  test("lists the seven errors with their status and message", () => {
    const rows = tableAfter(text, "\n## Errors\n").map(([status, code, message]) => [status, code, message]);
    const codes: readonly ErrorCode[] = [
      "invalid_request",
      "unauthorized",
      "forbidden",
      "not_found",
      "method_not_allowed",
      "rate_limit_exceeded",
      "internal_error",
    ];
    expect(rows).toEqual(
      codes.map((code) => [
        String(errorStatus(code)),
        `\`${code}\``,
        JSON.parse(errorEnvelope(code, "1")).error.message,
      ]),
    );
  });

  test("names every header that the description of the API names", () => {
    const openapi = readFileSync(join(projectRoot, "schemas/generated/openapi.json"), "utf8");
    const headers = Object.keys(JSON.parse(openapi).components.headers);
    const named = tableAfter(text, "What you get:").flatMap(([cell]) => inlineCode(cell ?? ""));
    expect(headers.filter((header) => !named.includes(header))).toEqual([]);
  });
});

test("docs/s3.md shows what each policy allows", () => {
  const { generator, tokens, gateway } = iamPolicies({ bucket: "b", prefix: "" });
  const policies = [generator, tokens, gateway].map(allowed);
  const keys = new Set(policies.flatMap((policy) => [...policy.keys()]));
  const rows = tableAfter(page("docs/s3.md").text, "## Permissions").map(([key = "", ...cells]) => [
    key.replaceAll("`", ""),
    ...cells,
  ]);
  const expected = [...keys].map((key) => [key, ...policies.map((policy) => policy.get(key) ?? "")]);
  expect(rows.toSorted()).toEqual(expected.toSorted());
});

/** What may be done with which keys, in words. Listing goes without saying where the keys may be read. */
function allowed({ Statement }: IamPolicy): ReadonlyMap<string, string> {
  const words = new Map<string, string[]>();
  for (const { Sid, Resource } of Statement) {
    if (Sid === "List") continue;
    for (const resource of Resource) {
      const key = resource.replace("arn:aws:s3:::b/", "");
      words.set(key, [...(words.get(key) ?? []), Sid.toLowerCase()]);
    }
  }
  const listed = Statement.flatMap(({ Condition }) => Condition?.StringLike["s3:prefix"] ?? []);
  for (const key of listed) if (!words.has(key)) words.set(key, ["list"]);
  return new Map([...words].map(([key, own]) => [key, own.join(", ")]));
}
