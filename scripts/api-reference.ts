import { exampleBaseUrl } from "../cli/partners/folder/site-page.ts";

type Named<Part> = Readonly<Record<string, Part>>;
type OrReference<Part> = Part | { readonly $ref: string };

/** The parts of the OpenAPI document that the reference shows. The document is our own, so its shape is known. */
interface ApiDocument {
  readonly paths: Named<{ readonly parameters: readonly OrReference<Parameter>[]; readonly get: Operation }>;
  readonly components: {
    readonly securitySchemes: Named<{ readonly description: string }>;
    readonly headers: Named<Header>;
    readonly schemas: Named<Schema>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly responses: Named<OrReference<Answer>>;
}

interface Answer {
  readonly description: string;
  readonly headers: Named<OrReference<Header>>;
  readonly content: Named<{ readonly schema: Schema }>;
}

interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Named<{ readonly value: unknown }>;
}

interface Parameter extends Header {
  readonly name: string;
  readonly in: string;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: Schema;
  readonly properties?: Named<Schema>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Every operation, parameter, status, header and field of the document as Markdown. Each is described once, and linked elsewhere. */
export function apiReference(document: ApiDocument): string {
  const { paths, components } = document;
  const schemas = Object.entries(components.schemas);
  const objects = schemas.filter(([, { properties }]) => properties !== undefined);
  const strings = schemas.filter(([, { properties }]) => properties === undefined);
  return [
    "## Authentication",
    ...Object.values(components.securitySchemes).map(({ description }) => description.trim()),
    ...Object.entries(paths).flatMap(([path, { parameters, get }]) => [
      `## GET \`${path}\``,
      `**${get.summary}${get.deprecated === true ? " (deprecated)" : ""}.** ${get.description.trim()}`,
      ...callBlocks(
        path,
        parameters.map((part) => resolved(document, part)),
      ),
      ...Object.entries(get.responses).flatMap(([status, part]) => [
        `### ${get.operationId}: ${status}`,
        answerText(document, resolved(document, part)),
      ]),
    ]),
    "## Headers of answers",
    markdownTable(
      ["header", "sent", "meaning"],
      Object.entries(components.headers).map(([name, header]) => [
        `\`${name}\``,
        header.required === true ? "always" : "where known",
        headerText(header),
      ]),
    ),
    "## Objects",
    ...objects.flatMap(([name, { description = "", properties = {} }]) => [
      `### ${name}`,
      description.trim(),
      markdownTable(
        ["field", "type", "meaning"],
        Object.entries(properties).map(([field, part]) => [
          `\`${field}\``,
          typeText(part),
          part.description ?? "",
        ]),
      ),
    ]),
    "## Kinds of strings",
    ...strings.flatMap(([name, schema]) => [
      `### ${name}`,
      `${schema.description?.trim()} Type: ${typeText(schema)}.`,
    ]),
    "",
  ].join("\n\n");
}

function callBlocks(path: string, parameters: readonly Parameter[]): readonly string[] {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((parameter) => parameter.name === name)?.example ?? ""),
  );
  const call = `curl --fail-with-body --compressed \\\n  -H "Authorization: Bearer $PARTNER_TOKEN" \\\n  ${exampleBaseUrl}${filled}`;
  const rows = parameters.map(({ name, in: place, required, description, schema }) => [
    `\`${name}\``,
    `${place}, ${required === true ? "required" : "optional"}; ${typeText(schema)}`,
    description,
  ]);
  return [
    `\`\`\`sh\n${call}\n\`\`\``,
    ...(rows.length === 0 ? [] : [markdownTable(["parameter", "place and type", "meaning"], rows)]),
  ];
}

/** Shared headers are described in one table. Only an answer's own are described with it. */
function answerText(document: ApiDocument, { description, headers, content }: Answer): string {
  const [json] = Object.values(content);
  const names = Object.entries(headers).map(([name, header]) =>
    "$ref" in header ? `\`${name}\`` : `\`${name}\`: ${headerText(resolved(document, header))}`,
  );
  return `${description.trim()} The body: ${typeText(json?.schema ?? {})}. [Headers](#headers-of-answers): ${names.join(", ")}.`;
}

function headerText({ description, schema, example, examples = {} }: Header): string {
  const given = [example, schema.const, ...Object.values(examples).map(({ value }) => value)];
  const shown = given.flatMap((value) => (value === undefined ? [] : [` \`${String(value)}\``]));
  const type = schema.const === undefined ? ` ${typeText(schema)}:` : "";
  return `${description.trim()}${type}${shown.join(",")}`;
}

/** The type of a value with its bounds: `integer, 1 or more`. A named type is a link to its description. */
function typeText(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, format, pattern } = schema;
  const bounds: string[] = [];
  if (minimum !== undefined && maximum !== undefined) bounds.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined) bounds.push(`${minimum} or more`);
  else if (maximum !== undefined) bounds.push(`at most ${maximum}`);
  if (exclusiveMinimum !== undefined) bounds.push(`above ${exclusiveMinimum}`);
  if (format !== undefined) bounds.push(`format \`${format}\``);
  if (pattern !== undefined) bounds.push(`pattern \`${pattern}\``);
  return [bareType(schema), ...bounds].join(", ");
}

function bareType(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(bareType).join(" or ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  return [schema.type ?? "any"]
    .flat()
    .map((type) => (type === "array" ? `array of ${bareType(schema.items ?? {})}` : type))
    .join(" or ");
}

function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.trim().replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The part itself, or the part that the reference leads to. */
function resolved<Part extends object>(document: ApiDocument, part: OrReference<Part>): Part {
  if (!("$ref" in part) || typeof part.$ref !== "string") return part as Part;
  let found: unknown = document;
  for (const step of part.$ref.replace(/^#\//, "").split("/")) found = Reflect.get(Object(found), step);
  return found as Part;
}
