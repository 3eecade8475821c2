import { directionOf, type Html, type HtmlValue, html } from "../../output/html.ts";
import { fieldLabel } from "../../publish/public-program/field-words.ts";
import { valueWords } from "../../publish/public-program/value-words.ts";
import { dataTable, labelledList, numeric } from "./parts.ts";

type Field = readonly [path: string, value: unknown];
type Parts = Readonly<Record<string, unknown>>;

/**
 * A published program in words, whatever its fields are: short values first, then each text and list under its own heading. Fields
 * without a value are named at the end.
 */
export function programDocument(document: unknown): Html {
  if (!isRecord(document)) return html`<p>The stored document is no JSON object.</p>`;
  const currency = typeof document.currency === "string" ? document.currency : null;
  const fields = Object.entries(document).flatMap(leaves);
  const long = fields.filter((field) => !isShort(field));
  const short = fields.filter(isShort).map(([path, value]) => {
    return [fieldLabel(path), valueHtml(path, value, currency)] as const;
  });
  const empty = Object.entries(document).filter(([, value]) => isEmpty(value));
  return html`${labelledList(short)}
${long.map(([path, value]) => html`<h3>${fieldLabel(path)}</h3>${valueHtml(path, value, currency)}`)}
${empty.length > 0 && html`<p class="lead">Nothing is published of: ${empty.map(([path]) => fieldLabel(path)).join(", ")}.</p>`}`;
}

/** A field, or in place of an object that holds lists or only one value, the parts of it. None for one without a value. */
function leaves([path, value]: Field): readonly Field[] {
  if (isEmpty(value)) return [];
  if (!isRecord(value)) return [[path, value]];
  const parts = Object.entries(value).flatMap(([name, part]) => leaves([`${path}.${name}`, part]));
  return parts.length > 1 && parts.every(isShort) ? [[path, value]] : parts;
}

function isShort([, value]: Field): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string" && item.length < 30);
  return typeof value !== "string" || (value.length <= 100 && !value.includes("\n"));
}

function valueHtml(path: string, value: unknown, currency: string | null): HtmlValue {
  if (isEmpty(value)) return "–";
  if (Array.isArray(value)) return listHtml(path, value, currency);
  if (isRecord(value)) {
    const parts = Object.entries(value).filter(([, part]) => !isEmpty(part));
    const partHtml = ([name, part]: Field): Html =>
      html`<div><dt>${ownLabel(`${path}.${name}`)}</dt><dd>${valueHtml(`${path}.${name}`, part, currency)}</dd></div>`;
    return html`<dl class="parts">${parts.map(partHtml)}</dl>`;
  }
  const words = valueWords(path, value, currency);
  if (typeof value !== "string") return html`<span class="whole">${words}</span>`;
  // A calendar day; other texts come back in quotes.
  if (words !== JSON.stringify(value)) return html`<time class="whole" datetime="${value}">${words}</time>`;
  // Pictures are not shown, since these pages load nothing from other servers.
  if (value.startsWith("https://")) return html`<a href="${value}" rel="noopener noreferrer">${value}</a>`;
  if (isShort([path, value])) return html`<bdi>${value}</bdi>`;
  return html`<p class="prose" dir="${directionOf(value)}">${value}</p>`;
}

function listHtml(path: string, list: readonly unknown[], currency: string | null): Html {
  const rows = list.filter(isRecord);
  if (rows.length < list.length) {
    const items = list.map((item, at) => html`<li>${valueHtml(`${path}[${at}]`, item, currency)}</li>`);
    return html`<ul dir="${directionOf(list.join(" "))}">${items}</ul>`;
  }
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => !isEmpty(row[name])));
  const columns = names.map((name) => {
    const cell = (row: Parts): HtmlValue =>
      valueHtml(`${path}[${rows.indexOf(row)}].${name}`, row[name], currency);
    const isNumber = rows.every((row) => row[name] === null || typeof row[name] === "number");
    return [ownLabel(`${path}[0].${name}`), isNumber ? numeric(cell) : cell] as const;
  });
  return dataTable(fieldLabel(path), rows, Object.fromEntries(columns));
}

/** The label of a part without that of the whole, and without a place in a list: `Hotel 1, name` is `Name`. */
function ownLabel(path: string): string {
  const own = fieldLabel(path).replace(/^.*, /s, "").replace(/ \d+$/, "");
  return own.charAt(0).toUpperCase() + own.slice(1);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every(isEmpty);
}

function isRecord(value: unknown): value is Parts {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
