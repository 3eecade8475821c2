import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A page of the project's documentation. */
export interface Page {
  /** Relative to the project's root. */
  readonly path: string;
  readonly text: string;
}

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The comment on the line before it: `<!-- example: views -->` gives `example: views`. */
  readonly mark: string | undefined;
}

export const projectRoot = fileURLToPath(new URL("../..", import.meta.url));

/** All pages for people: at the top, in `docs/` and `deploy/`, and the entrances to the code below `cli/`. */
export function pages(): readonly Page[] {
  return [".", "docs", "deploy", "cli"].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { encoding: "utf8", recursive: folder === "cli" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => page(join(folder, name))),
  );
}

export function page(path: string): Page {
  return { path, text: readFileSync(join(projectRoot, path), "utf8") };
}

/** The fenced code blocks, in order. */
export function codeBlocks(text: string): readonly CodeBlock[] {
  return [...text.matchAll(/(?:^<!-- (.+) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    mark: match[1],
    language: match[2] ?? "",
    code: match[3] ?? "",
  }));
}

/** The one code block with the mark. */
export function markedBlock(text: string, mark: string): string {
  const blocks = codeBlocks(text).filter((block) => block.mark === mark);
  if (blocks.length !== 1) throw new Error(`${blocks.length} code blocks are marked ${mark}`);
  return blocks[0]?.code ?? "";
}

/** What stands between backticks in running text and tables. */
export function inlineCode(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
}

/** Targets of links and images, without titles. */
export function linkTargets(text: string): readonly string[] {
  const prose = proseOf(text).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1] ?? "");
}

/** The anchors that a forge makes of the headings. */
export function anchors(text: string): ReadonlySet<string> {
  const headings = [...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] ?? "");
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );
}

/** The rows of the first table after the text `from`, as cells, without the head. */
export function tableAfter(text: string, from: string): readonly (readonly string[])[] {
  const at = text.indexOf(from);
  const table = at < 0 ? null : /^\|.*\|\n\|[ |-]+\|\n((?:\|.*\|\n)+)/m.exec(text.slice(at));
  if (table === null) throw new Error(`There is no table after ${JSON.stringify(from)}`);
  const lines = (table[1] ?? "").trimEnd().split("\n");
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

const proseOf = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, "");
