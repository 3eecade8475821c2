import { describe, expect, test } from "vitest";
import { cliSettings, gatewaySettings } from "../../../core/settings.ts";
import { codeBlocks, inlineCode, pages } from "../../support/markdown.ts";

const known: ReadonlySet<string> = new Set(
  [...Object.values(cliSettings), ...Object.values(gatewaySettings)].map(({ name }) => name),
);

/** The change log also names settings that are retired. */
const present = pages().filter(({ path }) => path !== "CHANGELOG.md");

describe("settings on pages", () => {
  test.each(present.map(({ path, text }) => [path, text] as const))(
    "%s names settings that exist",
    (_path, text) => {
      const unknown = namedSettings(text).filter((name) => !known.has(name) && !isForeign(name));
      expect(unknown).toEqual([]);
    },
  );

  test("are there to be looked at", () => {
    const named = new Set(pages().flatMap(({ text }) => namedSettings(text)));
    expect([...known].filter((name) => named.has(name)).length).toBe(known.size);
  });
});

/** Words like `STORE_URL` in code, and what a script sets. */
function namedSettings(text: string): readonly string[] {
  const scripts = codeBlocks(text).filter(({ language }) => language === "sh");
  const code = [...inlineCode(text), ...scripts.map((block) => block.code)].join("\n");
  const names = code.match(/(?<![\w.$/-])[A-Z][A-Z0-9]*(_[A-Z0-9]+)+(?![\w(])|\b(HOST|PORT)\b/g);
  return [...new Set(names ?? [])];
}

/** Of others: the AWS SDK, Node.js, systems and servers, the project's own tests and sandbox; and words that stand for something. */
function isForeign(name: string): boolean {
  return /^(AWS|TEST|NODE|MALLOC|SSL|PG|SANDBOX|NO)_|_PROXY$|^(ON_ERROR_STOP|PARTNER_TOKEN|REQUEST_ID|TOKEN_ID)$/.test(
    name,
  );
}
