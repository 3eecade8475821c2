import { directionOf, type Html, html } from "../../output/html.ts";
import { fieldLabel, valueWords } from "../../publish/public-program/field-words.ts";
import { labelledList } from "./parts.ts";

/** A published program in words, whatever its fields are. Fields without a value are named at the end. */
export function programDocument(document: unknown): Html {
  if (!isRecord(document)) return html`<p>The stored document is no JSON object.</p>`;
  const currency = typeof document.currency === "string" ? document.currency : null;
  const fields = Object.entries(document);
  const rows = fields.filter(([, value]) => !isEmpty(value));
  const empty = fields.filter(([, value]) => isEmpty(value)).map(([path]) => fieldLabel(path));
  return html`${labelledList(rows.map(([path, value]) => [fieldLabel(path), valueHtml(path, value, currency)]))}
${empty.length > 0 && html`<p class="lead">Nothing is published of: ${empty.join(", ")}.</p>`}`;
}

function valueHtml(path: string, value: unknown, currency: string | null): Html {
  if (isEmpty(value)) return html`–`;
  if (Array.isArray(value)) {
    const items = value.map((item, at) => html`<li>${valueHtml(`${path}[${at}]`, item, currency)}</li>`);
    return html`<ul dir="${directionOf(value.join(" "))}">${items}</ul>`;
  }
  if (isRecord(value)) {
    const parts = Object.entries(value).filter(([, part]) => !isEmpty(part));
    return html`<dl class="parts">${parts.map(([name, part]) => {
      const own = `${path}.${name}`;
      return html`<div><dt>${ownLabel(own)}</dt><dd>${valueHtml(own, part, currency)}</dd></div>`;
    })}</dl>`;
  }
  const words = valueWords(path, value, currency);
  if (typeof value !== "string") return html`<span class="whole">${words}</span>`;
  // A calendar day; other texts come back in quotes.
  if (words !== JSON.stringify(value)) return html`<time class="whole" datetime="${value}">${words}</time>`;
  // Pictures are not shown, since these pages load nothing from other servers.
  if (value.startsWith("https://")) return html`<a href="${value}" rel="noopener noreferrer">${value}</a>`;
  return html`<span class="prose" dir="${directionOf(value)}">${value}</span>`;
}

/** The label of a part without that of the whole, and without a place in a list: `Hotel 1, name` is `Name`. */
function ownLabel(path: string): string {
  const label = fieldLabel(path);
  const own = label.slice(label.lastIndexOf(", ") + 1).trim();
  return `${own.charAt(0).toUpperCase()}${own.slice(1).replace(/ \d+$/, "")}`;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
