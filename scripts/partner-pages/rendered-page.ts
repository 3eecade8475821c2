import { posix } from "node:path";
import { Marked } from "marked";
import { type Html, html } from "../../cli/output/html.ts";
import { compactJson } from "../../cli/partners/folder/compact-json.ts";
import type { RenderedPage } from "../../cli/partners/folder/site-page.ts";

/**
 * Where a link of the repository leads in the partner's folder. Throws for one that the folder has nothing
 * for.
 */
export type FolderLink = (repositoryPath: string) => string;

/**
 * A page of the partner guide as markup for the partner's folder. Between `<!-- not in the folder -->` and
 * `<!-- end -->` stands what only somebody with a checkout can use; `<!-- in the folder: ... -->` is Markdown
 * for the folder alone. Of HTML only `unfolded` is taken.
 */
export function renderedPage(path: string, markdown: string, folderLink: FolderLink): RenderedPage {
  const text = forTheFolder(markdown);
  let title = "";
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: source }) {
        const inner = this.parser.parseInline(tokens);
        const plain = source.replaceAll("`", "");
        if (depth === 1) title = plain;
        return depth === 1
          ? `<h1>${inner}</h1>\n`
          : `<h${depth} id="${anchor(plain)}">${inner}</h${depth}>\n`;
      },
      code({ text: code, lang }) {
        const block = lang === "json" ? jsonBlock(JSON.parse(code)) : codeBlock(code);
        return `${block.markup}\n`;
      },
      link({ href, tokens }) {
        const target = linkTarget(path, href, folderLink);
        return `<a href="${html`${target}`.markup}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token) {
        const cells = token.header.map((cell) => this.parser.parseInline(cell.tokens));
        const rows = token.rows.map((row) => row.map((cell) => this.parser.parseInline(cell.tokens)));
        return tableMarkup(cells, rows);
      },
      html({ text: source }) {
        if (unfolded.test(source)) return source;
        if (/^<!--[\s\S]*-->\s*$/.test(source)) return "";
        throw new Error(`${path} has HTML: ${source}`);
      },
    },
  });
  const body = marked.parse(text, { async: false });
  if (title === "") throw new Error(`${path} has no title`);
  return { title, body };
}

/** The tags around a part that readers unfold, as a sample in one of several languages. */
const unfolded = /^<details( open)?>\s*<summary>\w+<\/summary>\s*$|^<\/details>\s*$/;

function forTheFolder(markdown: string): string {
  return markdown
    .replace(/<!-- not in the folder -->[\s\S]*?<!-- end -->\n?/g, "")
    .replace(/<!-- in the folder: ([\s\S]*?) -->/g, "$1");
}

/** As a forge makes it, so that links in the Markdown work in both places. */
function anchor(heading: string): string {
  const name = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
  return /^[a-z]/.test(name) ? name : `section-${name}`;
}

function linkTarget(path: string, href: string, folderLink: FolderLink): string {
  if (/^(https:|#)/.test(href)) return href;
  const [file = "", fragment] = href.split("#");
  const target = folderLink(posix.join(posix.dirname(path), file));
  return fragment === undefined ? target : `${target}#${fragment}`;
}

/**
 * A head without text, as of a list of names and values, is for the eye alone: the first cell names its row.
 */
function tableMarkup(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isHeadless = head.every((cell) => cell === "");
  const thead = isHeadless ? "" : `<thead><tr>${head.map((cell) => columnHead(cell)).join("")}</tr></thead>`;
  const tbody = rows
    .map(
      ([first = "", ...rest]) =>
        `<tr><th scope="row">${first}</th>${rest.map((cell, at) => dataCell(cell, head[at + 1] ?? "")).join("")}</tr>`,
    )
    .join("\n");
  return `<table${isHeadless ? ' class="facts"' : ""}>${thead}<tbody>\n${tbody}\n</tbody></table>\n`;
}

function columnHead(cell: string): string {
  return cell === "" ? '<th scope="col">meaning</th>' : `<th scope="col">${cell}</th>`;
}

function dataCell(cell: string, label: string): string {
  const plain = label.replace(/<[^>]*>/g, "");
  return `<td${plain === "" ? "" : ` data-label="${plain}"`}>${cell}</td>`;
}

/** One block. The keyboard can reach it, so that a reader can scroll along a long line. */
function codeBlock(code: string): Html {
  return html`<pre tabindex="0"><code>${code.replace(/\n$/, "")}</code></pre>`;
}

/** A JSON value. Each string is a part of its own, so that the template isolates right-to-left text. */
function jsonBlock(value: unknown): Html {
  const json = compactJson(value).trimEnd();
  const parts: string[] = [];
  for (let at = 0; at < json.length; ) {
    const start = json.indexOf('"', at) === -1 ? json.length : json.indexOf('"', at);
    let end = start + 1;
    while (end < json.length && json[end] !== '"') end += json[end] === "\\" ? 2 : 1;
    parts.push(json.slice(at, start), json.slice(start, end + 1));
    at = end + 1;
  }
  return html`<pre tabindex="0"><code>${parts}</code></pre>`;
}
