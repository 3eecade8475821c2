import { expect, test } from "vitest";
import { isProgramDetailResponse } from "../../../schemas/generated/validators-published.ts";
import {
  isCurrentDocument,
  isManifestDocument,
  isTokensDocument,
} from "../../../schemas/generated/validators-stored.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { example, replaced } from "./mutations.ts";
import { current, manifest, tokens } from "./stored-samples.ts";

const folder = "tenants/t/snapshots/20270201T031500Z-0a1b2c3d";
const detail = example("program-detail");
const longId = "a".repeat(128);

/**
 * Places that hold text of a form: values at its edge, and values just beyond. `generated-validators.test.ts`
 * has the dates.
 */
const forms: readonly (readonly [
  place: string,
  document: unknown,
  isDocument: CompiledValidator<unknown>,
  fits: readonly unknown[],
  not: readonly unknown[],
])[] = [
  [
    "/data/media/coverUrl",
    detail,
    isProgramDetailResponse,
    [null, "https://a.example", "HTTPS://a.example/@x", "https://[2001:db8::1]/%C3%BC?a=b&c#!$'()*+,;:@"],
    [
      ...[
        "http://a.example/x",
        "//a.example/x",
        "https:a.example",
        "https://",
        "ftp://a",
        "",
        "https://a b/",
      ],
      ...[
        "https://user@a.example/",
        "https://u:p@a.example/",
        "https://a.example\\@b",
        "xhttps://a.example/",
      ],
      ...["https://a.example/ü", "https://a.example/a[1]", "https://a.example/%zz", "https://a.example/\n"],
    ],
  ],
  [
    "/data/id",
    detail,
    isProgramDetailResponse,
    ["A", "a~b._-9", longId],
    ["", `${longId}a`, "a/b", "_a", "a\n"],
  ],
  ["/data/currency", detail, isProgramDetailResponse, [null, "EUR"], ["eur", "EURO", "EU", "€", "EUR\n"]],
  ["/data/capacity/used", detail, isProgramDetailResponse, [0, 1e9], [-1, 0.5, "1", null]],
  ["/data/prices/rooms/0/amount", detail, isProgramDetailResponse, [0.01, 1e9], [0, -1, null, "1"]],
  ["/data/prices/children/0/amount", detail, isProgramDetailResponse, [0, 0.01], [-0.01, null]],
  ["/data/hotels/0/starLevel", detail, isProgramDetailResponse, [1, 5, null], [0, 6, 1.5]],
  ["/tenantId", current, isCurrentDocument, ["a", "a".repeat(64)], ["", "a".repeat(65), "../b", ".a", "a b"]],
  [
    "/manifestSha256",
    current,
    isCurrentDocument,
    ["0".repeat(64)],
    ["0".repeat(63), "F".repeat(64), `${"0".repeat(64)}\n`],
  ],
  [
    "/snapshotId",
    current,
    isCurrentDocument,
    ["20270201T031500Z-00000000"],
    ["20270201T031500Z-0A1B2C3D", "../x", ""],
  ],
  [
    "/publishedAt",
    current,
    isCurrentDocument,
    ["2028-02-29T23:59:59Z", "2027-01-01T00:00:00.123456789Z"],
    [
      "2027-02-29T00:00:00Z",
      "2027-01-01T24:00:00Z",
      "2027-01-01T00:00:00+00:00",
      "2027-01-01",
      "0000-01-01T00:00:00Z",
    ],
  ],
  [
    "/list/key",
    manifest,
    isManifestDocument,
    [
      `${folder}/v1/programs.json`,
      `${folder}/v1/programs/a.b~c.json`,
      `${folder}/api/v1/partner/programs.json`,
    ],
    [
      ...[`${folder}/v1/programs`, `${folder}/v1/programs/../x.json`, `${folder}/manifest.json`],
      ...[`/${folder}/v1/programs.json`, "tenants/t/current.json", "auth/tokens.json"],
    ],
  ],
  ["/list/size", manifest, isManifestDocument, [1, 2 ** 32 - 1], [0, 2 ** 32, 1.5, "1"]],
  [
    "/tokens/0/scopes",
    tokens,
    isTokensDocument,
    [[], ["a", "b"], ["a.b_c:d-1"]],
    [["a", "a"], ["A"], ["a b"], null],
  ],
  ["/tokens/0/rateLimit", tokens, isTokensDocument, [null, 1, Number.MAX_SAFE_INTEGER], [0, 1.5, "1"]],
];

test.each(forms)(
  "%s takes the values at the edge of its form, and refuses and blames those beyond",
  (...form) => {
    const [place, document, isDocument, fits, not] = form;
    for (const value of fits) {
      expect([value, validate(isDocument, replaced(document, place, value)).valid]).toEqual([value, true]);
    }
    for (const value of not) {
      const result = validate(isDocument, replaced(document, place, value));
      expect([value, result.valid || result.violation.path]).toEqual([value, expect.stringContaining(place)]);
    }
  },
);
