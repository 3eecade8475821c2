import { styleText } from "node:util";
import { betweenCodes } from "../../cli/presentation/style.ts";
import { escaped, printableJson, singleLine } from "../../core/printable.ts";
import type { Exchange } from "./requests.ts";

/** Lines of an answer that are shown; the whole is one curl away. */
const shownLines = 12;

/** Tokens may be said: the demo's own are of no use to anybody else. */
export function say(text = ""): void {
  const lines = text.split("\n").map((line) => betweenCodes(line, escaped));
  process.stdout.write(`${lines.join("\n")}\n`);
}

export function heading(step: number, text: string): void {
  say(`\n${styled("bold", `${step}. ${text}`)}`);
}

export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "   ");
}

export function sayExchange({ title, path, status, headers, body, fault }: Exchange): void {
  const mark = fault === undefined ? styled("green", "✓") : styled("red", "✗");
  say(`\n ${mark} ${title}`);
  say(indented(styled("dim", `GET ${path}`)));
  const notable = ["retry-after", "ratelimit", "snapshot-generated-at", "deprecation"]
    .filter((name) => headers.has(name))
    .map((name) => singleLine(`${name}: ${headers.get(name)}`));
  say(indented(`${styled("bold", String(status))}  ${styled("dim", notable.join("  "))}`));
  const lines = printableJson(body).split("\n");
  say(indented(lines.slice(0, shownLines).join("\n")));
  if (lines.length > shownLines) say(indented(styled("dim", `... ${lines.length - shownLines} more lines`)));
  if (fault !== undefined) say(indented(styled("red", `not as expected: ${singleLine(fault)}`)));
}

function styled(style: "bold" | "dim" | "green" | "red", text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}
