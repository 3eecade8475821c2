import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, referenceName, type Schema } from "./api-document.ts";
import { boundWords, fieldExamples, proseMarkup, typeWords } from "./schema-words.ts";

/**
 * W72: the fields of an answer in the order of the wire, each with the fields of its object below it. An object that came before
 * is replaced by a link. The fields that `known` has, too, are collapsed, since a reader has seen them. `id` is unique on its
 * page.
 */
export function unfoldedFields(document: ApiDocument, schema: Schema, id: string, known?: Schema) {
  const { schemas } = document.components;
  const examples = fieldExamples(document);
  const links = new Map<string, string>();
  /** By the name of a schema: the first field that holds such an object. */
  const seen = new Map<string, { readonly path: string; readonly anchor: string }>();

  function list(name: string, object: Schema, path: string, fields: readonly string[]): Html {
    const rows = fields.map((field) => {
      const part = object.properties?.[field] ?? {};
      return row(`${name}.${field}`, field, part, path === "" ? field : `${path}.${field}`);
    });
    return html`<ul class="fields">\n${rows}</ul>`;
  }

  function row(key: string, field: string, part: Schema, path: string): Html {
    const anchor = `${id}-${path.replaceAll(".", "-")}`;
    links.set(path, `#${anchor}`);
    const example = examples.get(key);
    return html`<li id="${anchor}"><p class="field"><code>${field}</code> <span class="type">${typeWords(document, part)}${boundWords(part).map((bound) => html`, ${bound}`)}</span></p>
<p>${proseMarkup(part.description ?? "")}${isShort(example) && part.enum === undefined && html` <small>Such as <code>${JSON.stringify(example)}</code></small>`}</p>
${inner(part, path, anchor)}</li>
`;
  }

  /** The fields of the object in a field, or of the objects in its list. */
  function inner(part: Schema, path: string, anchor: string): Html | undefined {
    const found = objectIn(part, schemas);
    if (found === undefined) return undefined;
    const { name, object } = found;
    const fields = Object.keys(object.properties ?? {});
    const before = seen.get(name);
    if (before !== undefined) {
      for (const field of fields) links.set(`${path}.${field}`, links.get(`${before.path}.${field}`) ?? "");
      return html`<p>Its fields are those of <a href="#${before.anchor}"><code>${before.path.replace(/^data\./, "")}</code></a>.</p>`;
    }
    seen.set(name, { path, anchor });
    if (known === undefined || path !== "data") {
      const count = fields.length === 1 ? "1 field" : `${fields.length} fields`;
      return folded(count, name, list(name, object, path, fields), true);
    }
    const shared = fields.filter((field) => known.properties?.[field] !== undefined);
    const own = fields.filter((field) => !shared.includes(field));
    return html`${folded(`${shared.length} fields that the list has, too`, name, list(name, object, path, shared), false)}
${folded(`${own.length} further fields`, name, list(name, object, path, own), true)}`;
  }

  const target = schema.$ref === undefined ? "" : referenceName(schema.$ref);
  const root = schemas[target] ?? schema;
  const markup = list(target, root, "", Object.keys(root.properties ?? {}));
  /** The link to a field, by its path from the body: `data.prices.rooms.amount`. */
  const link = (path: string): string | undefined => links.get(path);
  return { markup, link };
}

function folded(what: string, name: string, fields: Html, isOpen: boolean): Html {
  const summary = html`<summary class="more">${what} <span class="hidden">of ${name}</span></summary>`;
  return html`<details${isOpen && html` open`}>${summary}
${fields}</details>`;
}

function objectIn(
  schema: Schema,
  schemas: ApiDocument["components"]["schemas"],
): { readonly name: string; readonly object: Schema } | undefined {
  if (schema.$ref !== undefined) {
    const name = referenceName(schema.$ref);
    const object = schemas[name] ?? {};
    return object.properties === undefined ? undefined : { name, object };
  }
  const inside = schema.items === undefined ? (schema.anyOf ?? []) : [schema.items];
  return inside.map((part) => objectIn(part, schemas)).find((found) => found !== undefined);
}

/**
 * Only short values are shown as examples. An object shows its fields instead, and a long text stands in the example beside the
 * list.
 */
function isShort(example: unknown): boolean {
  return example !== undefined && typeof example !== "object" && String(example).length <= 40;
}
