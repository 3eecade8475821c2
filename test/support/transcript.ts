import { type CommandResult, runCommand } from "./command-line.ts";

/**
 * Runs commands and keeps what a person would see of them, with all that differs from run to run named
 * instead.
 */
export class Transcript {
  readonly #env: Readonly<Record<string, string>>;
  readonly #names: Map<string, string>;
  readonly #seen = new Map<string, number>();
  #text = "";

  /** `names`: texts that differ (paths, addresses) and what to write in their place. */
  constructor(env: Readonly<Record<string, string>>, names: Readonly<Record<string, string>>) {
    this.#env = env;
    this.#names = new Map(Object.entries(names));
  }

  get text(): string {
    return this.#text;
  }

  note(line: string): void {
    this.#text += `${line}\n`;
  }

  /**
   * Runs a command as it is typed, settings before the program's name. Arguments may be names of an earlier
   * output, such as `<token-id-1>`.
   */
  async run(line: string, now: Date): Promise<CommandResult> {
    const words: readonly string[] = line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
    const at = words.indexOf("partner-programs");
    const given = words.slice(0, at).map((word) => word.split("=", 2));
    const args = words
      .slice(at + 1)
      .map((word) => this.#actual(word.startsWith('"') ? JSON.parse(word) : word));
    const result = await runCommand(args, { now, env: { ...this.#env, ...Object.fromEntries(given) } });
    this.note(`$ ${line}`);
    this.#text += this.#named(result.stdout).replace(/(?<!\n|^)$/, "\n");
    this.#text += this.#named(result.stderr).replace(/^/gm, "! ").replace(/! $/, "");
    this.#text += `[exit ${result.status}]\n\n`;
    return result;
  }

  #actual(arg: string): string {
    for (const [actual, name] of this.#names) if (name === arg) return actual;
    return arg;
  }

  #named(output: string): string {
    let text = output;
    for (const [kind, pattern] of volatile) {
      text = text.replace(pattern, (actual) => this.#nameOf(kind, actual));
    }
    for (const [actual, name] of this.#names) text = text.replaceAll(actual, name);
    return text
      .replace(/\bin \d+\.\d s\b/g, "in <seconds> s")
      .replace(/("durationMs": )\d+/g, "$1<ms>")
      .replace(/("bytesWritten": )\d+/g, "$1<bytes>")
      .replace(/("version": )"[^"]*"/g, '$1"<version>"');
  }

  #nameOf(kind: string, actual: string): string {
    const known = this.#names.get(actual);
    if (known !== undefined) return known;
    const number = (this.#seen.get(kind) ?? 0) + 1;
    this.#seen.set(kind, number);
    const name = `<${kind}-${number}>`;
    this.#names.set(actual, name);
    return name;
  }
}

/** What is different each time, by kind; numbered in the order in which it appears. */
const volatile: readonly (readonly [string, RegExp])[] = [
  ["snapshot", /\d{8}T\d{6}Z-[0-9a-f]{8}/g],
  ["store-id", /store_[0-9A-Za-z]{16}/g],
  ["token-id", /tok_[0-9A-Za-z]{16}/g],
  ["token", /ppr_[0-9A-Za-z]{49}/g],
  ["sha256", /\b[0-9a-f]{64}\b/g],
];
