import { expect, test } from "vitest";
import { type IamPolicy, iamPolicies } from "../../../cli/operate/store-check/iam-policies.ts";
import { page, tableAfter } from "../../support/markdown.ts";

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
