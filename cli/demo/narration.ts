import { printableJson, singleLine } from "../../core/printable.ts";
import { type Style, styleOf } from "../output/style.ts";
import type { Output, Shell } from "../shell/shell.ts";
import type { Exchange } from "./requests.ts";

/** At most this many lines of an answer are shown. */
const shownLines = 12;

export type Narration = ReturnType<typeof createNarration>;

export function createNarration({ stdout, env }: Pick<Shell, "stdout" | "env">) {
  const style = styleOf(stdout, env);
  return {
    say: (text: string) => stdout.write(`${text}\n`),
    heading: (step: number, text: string) => stdout.write(`\n${style.bold(`${step}. ${text}`)}\n`),
    /** `token`: the one that the text may show, since tokens of the demo are of no use to anybody else. */
    detail: (text: string, token?: string) =>
      stdout.write(`${indented(text)}\n`, token === undefined ? [] : [token]),
    exchange: (exchange: Exchange) => tellExchange(exchange, stdout, style),
  };
}

function tellExchange(exchange: Exchange, output: Output, style: Style): void {
  const { title, path, status, headers, body, fault } = exchange;
  const notable = ["retry-after", "ratelimit", "snapshot-generated-at", "deprecation"]
    .filter((name) => headers.has(name))
    .map((name) => singleLine(`${name}: ${headers.get(name)}`));
  const lines = printableJson(body).split("\n");
  const shown = [
    style.faint(singleLine(`GET ${path}`)),
    `${style.bold(String(status))}  ${style.faint(notable.join("  "))}`.trimEnd(),
    ...lines.slice(0, shownLines),
    ...(lines.length > shownLines ? [style.faint(`... ${lines.length - shownLines} more lines`)] : []),
    ...(fault === undefined ? [] : [style.bad(`not as expected: ${singleLine(fault)}`)]),
  ];
  const sign = fault === undefined ? style.good("✓") : style.bad("✗");
  output.write(`\n ${sign} ${title}\n${shown.map((line) => `${indented(line)}\n`).join("")}`);
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "   ");
}
