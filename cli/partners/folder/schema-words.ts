import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, referenceName, type Schema } from "./api-document.ts";

/** The type of a value in words. A string type with a name is a link to its description on the page `page`. */
export function typeWords(document: ApiDocument, schema: Schema, page = ""): Html {
  const words = (part: Schema): Html => typeWords(document, part, page);
  if (schema.$ref !== undefined) {
    const name = referenceName(schema.$ref);
    const isObject = document.components.schemas[name]?.properties !== undefined;
    return isObject ? html`${name}` : html`<a href="${page}#${schemaId(name)}">${name}</a>`;
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

/** The anchor of a named string type on the reference page. */
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

/** The first value of each field in the document's examples, by schema and field (`Capacity.total`). */
export function fieldExamples({ components }: ApiDocument): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (schema: Schema, value: unknown, name: string): void => {
    if (schema.$ref !== undefined) {
      const target = referenceName(schema.$ref);
      visit(components.schemas[target] ?? {}, value, target);
    } else if (Array.isArray(value)) {
      for (const element of value) visit(schema.items ?? {}, element, name);
    } else if (schema.anyOf !== undefined) {
      for (const choice of schema.anyOf) visit(choice, value, name);
    } else if (typeof value === "object" && value !== null) {
      for (const [field, part] of Object.entries(schema.properties ?? {})) {
        const inner = Object.entries(value).find(([key]) => key === field)?.[1];
        const key = `${name}.${field}`;
        if (!found.has(key) && isFilled(inner)) found.set(key, inner);
        visit(part, inner, name);
      }
    }
  };
  // An example is named after its answer, with a suffix when there are several: `ProgramDetailSparse`.
  for (const [name, { value }] of Object.entries(components.examples)) {
    const schema = /^(ProgramList|ProgramDetail|LegacyPrograms)/.exec(name)?.[0];
    visit({ $ref: schema === undefined ? "ErrorResponse" : `${schema}Response` }, value, "");
  }
  return found;
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function joined(words: readonly Html[]): Html {
  return html`${words.map((word, at) => (at === 0 ? word : html` or ${word}`))}`;
}
