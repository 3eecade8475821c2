import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, referenceName, type Schema } from "./api-document.ts";

/** The type of a value in words. A named type is a link to its description on the reference page. */
export function typeWords(document: ApiDocument, schema: Schema): Html {
  const words = (part: Schema): Html => typeWords(document, part);
  if (schema.$ref !== undefined) {
    const name = referenceName(schema.$ref);
    return html`<a href="#${schemaId(name)}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(choices.map(words));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return joined(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  }
  const types = [schema.type ?? "any"].flat();
  return joined(
    types.map((type) => (type === "array" ? html`array of ${words(schema.items ?? {})}` : html`${type}`)),
  );
}

/** The bounds of a value: `1 or more`, `above 0`, a pattern, a format. */
export function boundWords({ minimum, maximum, exclusiveMinimum, format, pattern }: Schema): readonly Html[] {
  const bounds: Html[] = [];
  if (minimum !== undefined && maximum !== undefined) bounds.push(html`${minimum} to ${maximum}`);
  else if (minimum !== undefined) bounds.push(html`${minimum} or more`);
  else if (maximum !== undefined) bounds.push(html`at most ${maximum}`);
  if (exclusiveMinimum !== undefined) bounds.push(html`above ${exclusiveMinimum}`);
  if (format !== undefined) bounds.push(html`format <code>${format}</code>`);
  if (pattern !== undefined) bounds.push(html`pattern <code>${pattern}</code>`);
  return bounds;
}

/** The anchor of a named type on the reference page. */
export function schemaId(name: string): string {
  return `schema-${name}`;
}

/** Running text of the document. Text between backticks is code. */
export function proseMarkup(text: string): readonly (Html | string)[] {
  return text
    .trim()
    .split(/`([^`]+)`/)
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Text of the document with its paragraphs and lists. */
export function proseBlocks(text: string): readonly Html[] {
  return text
    .trim()
    .split(/\n\n+/)
    .map((block) => {
      if (!block.startsWith("- ")) return html`<p>${proseMarkup(block)}</p>\n`;
      return html`<ul>${block
        .split(/^- /m)
        .slice(1)
        .map((item) => html`<li>${proseMarkup(item)}</li>\n`)}</ul>\n`;
    });
}

function joined(words: readonly Html[]): Html {
  return html`${words.map((word, at) => (at === 0 ? word : html` or ${word}`))}`;
}
