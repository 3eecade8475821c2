import { describe, expect, test } from "vitest";
import { requestedAction } from "../../../gateway/arguments.ts";
import { callsIn, commandNamed, usageFault } from "../../support/command-lines.ts";
import { codeBlocks, inlineCode, pages } from "../../support/markdown.ts";

// The changelog must name commands and options that are retired.
const allPages = pages()
  .filter(({ path }) => path !== "CHANGELOG.md")
  .map(({ path, text }) => [path, text] as const);

describe("commands on pages", () => {
  test.each(allPages)("%s shows command lines that the program takes", async (_path, text) => {
    for (const { code } of codeBlocks(text)) {
      for (const args of callsIn(code, "partner-programs")) {
        expect(await usageFault(args), `partner-programs ${args.join(" ")}`).toBeUndefined();
      }
    }
  });

  test.each(allPages)("%s shows calls of the gateway that it takes", (_path, text) => {
    for (const { code } of codeBlocks(text)) {
      for (const args of callsIn(code, "partner-programs-gateway")) {
        expect(requestedAction(args), args.join(" ")).toBeDefined();
      }
    }
  });

  // In running text a value may be a placeholder (`--rate-limit N`), so only the words that are fixed are
  // held.
  test.each(allPages)("%s names commands and options that exist", (_path, text) => {
    expect(inlineCode(text).filter(namesNoCommand)).toEqual([]);
  });

  test("are there to be looked at", () => {
    const calls = pages().flatMap(({ text }) =>
      codeBlocks(text).flatMap(({ code }) => callsIn(code, "partner-programs")),
    );
    expect(calls.length).toBeGreaterThan(20);
  });
});

/** For code that begins like a command of the program and is none. */
function namesNoCommand(code: string): boolean {
  const match =
    /^(?:(?:npx )?partner-programs )?((?:source|snapshot|store|token|tenant|audit|request|sandbox|docs) [a-z]+|config|inspect|openapi|demo)\b(.*)$/.exec(
      code,
    );
  if (match === null) return /^(npx )?partner-programs [a-z]/.test(code);
  const command = commandNamed((match[1] ?? "").split(" "));
  const flags = [...(match[2] ?? "").matchAll(/(?<= )--[a-z-]+/g)].map(([flag]) => flag);
  return command === undefined || flags.some((flag) => !command.options.some(({ long }) => long === flag));
}
