import { exampleBaseUrl } from "../cli/partners/folder/site-page.ts";

type Named<Part> = Readonly<Record<string, Part>>;
type OrReference<Part> = Part | { readonly $ref: string };

/**
 * The parts of the OpenAPI document that the reference shows. The document is our own, so its shape is known.
 */
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

/**
 * Every operation, parameter, status, header and field of the document as Markdown. Each is described once,
 * and linked elsewhere.
 */
export function apiReference(document: ApiDocument): string {
  const { paths, components } = document;
  const schemas = Object.entries(components.schemas);
  const taken = Object.values(paths).map(({ parameters }) =>
    parameters.map((part) => resolved(document, part)),
  );
  const shared = inAll(taken.map((own) => own.map(({ name }) => name)));
  const objects = schemas.filter(([, { properties }]) => properties !== undefined);
  const strings = schemas.filter(([, { properties }]) => properties === undefined);
  return [
    "## Authentication",
    ...Object.values(components.securitySchemes).map(({ description }) => description.trim()),
    "All resources take:",
    ...parametersText((taken[0] ?? []).filter(({ name }) => shared.includes(name))),
    ...Object.entries(paths).flatMap(([path, { parameters, get }]) => [
      `## GET \`${path}\``,
      `**${get.summary}${get.deprecated === true ? " (deprecated)" : ""}.** ${get.description.trim()}`,
      ...callBlocks(
        { path, deprecated: get.deprecated === true },
        parameters.map((part) => resolved(document, part)),
        shared,
      ),
    ]),
    "## Answers",
    ...answersText(document),
    "## Headers of answers",
    markdownList(
      Object.entries(components.headers).map(([name, header]) => [
        name,
        header.required === true ? "always" : "where known",
        headerText(header),
      ]),
    ),
    "## Objects",
    ...objects.flatMap(([name, object]) => objectText(name, object, objects)),
    "## Kinds of strings",
    ...strings.flatMap(([name, schema]) => [
      `### ${name}`,
      `${schema.description?.trim()} Type: ${typeText(schema)}.`,
    ]),
    "",
  ].join("\n\n");
}

/** The parameters that all resources take are not told again, and nobody is shown a call of what will end. */
function callBlocks(
  { path, deprecated }: { readonly path: string; readonly deprecated: boolean },
  parameters: readonly Parameter[],
  shared: readonly string[],
): readonly string[] {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((parameter) => parameter.name === name)?.example ?? ""),
  );
  const call = `curl --fail-with-body --compressed \\\n  -H "Authorization: Bearer $PARTNER_TOKEN" \\\n  ${exampleBaseUrl}${filled}`;
  return [
    ...(deprecated ? [] : [`\`\`\`sh\n${call}\n\`\`\``]),
    ...parametersText(parameters.filter(({ name }) => !shared.includes(name))),
  ];
}

function parametersText(parameters: readonly Parameter[]): readonly string[] {
  if (parameters.length === 0) return [];
  const entries = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      [
        name,
        `${place}, ${required === true ? "required" : "optional"}, ${typeText(schema)}`,
        description,
      ] as const,
  );
  return [markdownList(entries)];
}

/**
 * An answer that several resources give in the same words stands once. Headers are described in a table of
 * their own.
 */
function answersText(document: ApiDocument): readonly string[] {
  const answers = Object.entries(document.paths).flatMap(([path, { get }]) =>
    Object.entries(get.responses).map(([status, part]) => ({ path, status, ...resolved(document, part) })),
  );
  const always = inAll(answers.map(({ headers }) => Object.keys(headers)));
  const rows = new Map<string, typeof answers>();
  for (const answer of answers) {
    const same = `${answer.status} ${answer.description}`;
    rows.set(same, [...(rows.get(same) ?? []), answer]);
  }
  const table = [...rows.values()]
    .toSorted(([one], [other]) => Number(one?.status) - Number(other?.status))
    .map((same) => {
      const paths = same.map(({ path }) => `\`${path}\``);
      const [json] = Object.values(same[0]?.content ?? {});
      return [
        same[0]?.status ?? "",
        paths.length === Object.keys(document.paths).length ? "all" : paths.join(", "),
        `${same[0]?.description.trim()} ${typeText(json?.schema ?? {})}`,
        headersText(document, same, always),
      ];
    });
  return [
    `Every answer has the [headers](#headers-of-answers) ${always.map((name) => `\`${name}\``).join(" and ")}, and those of its row.`,
    markdownTable(["status", "of", "when, and the body", "headers"], table),
  ];
}

/**
 * The headers of all these answers, then those of single resources. One that is an answer's own is described
 * there.
 */
function headersText(
  document: ApiDocument,
  answers: readonly (Answer & { readonly path: string })[],
  always: readonly string[],
): string {
  const shared = inAll(answers.map(({ headers }) => Object.keys(headers)));
  const named = (headers: Answer["headers"], keep: (name: string) => boolean): readonly string[] =>
    Object.entries(headers)
      .filter(([name]) => keep(name))
      .map(([name, header]) =>
        "$ref" in header ? `\`${name}\`` : `\`${name}\`: ${headerText(resolved(document, header))}`,
      );
  const common = named(answers[0]?.headers ?? {}, (name) => shared.includes(name) && !always.includes(name));
  const own = answers.flatMap(({ path, headers }) => {
    const further = named(headers, (name) => !shared.includes(name));
    return further.length === 0 ? [] : [`with \`${path}\` also ${further.join(", ")}`];
  });
  return [...(common.length === 0 ? [] : [common.join(", ")]), ...own].join("; ");
}

function inAll(lists: readonly (readonly string[])[]): readonly string[] {
  return (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
}

/** The fields that another object has, too, all of them and in the same words, stand with that one alone. */
function objectText(
  name: string,
  { description = "", properties = {} }: Schema,
  objects: readonly (readonly [string, Schema])[],
): readonly string[] {
  const own = Object.entries(properties);
  const part = objects.find(([, { properties: theirs = {} }]) => {
    const fields = Object.entries(theirs);
    return (
      fields.length > 1 &&
      fields.length < own.length &&
      fields.every(([field, schema]) => JSON.stringify(properties[field]) === JSON.stringify(schema))
    );
  });
  const elsewhere = Object.keys(part?.[1].properties ?? {});
  return [
    `### ${name}`,
    description.trim(),
    ...(part === undefined ? [] : [`All fields of [${part[0]}](#${part[0].toLowerCase()}), and:`]),
    // Two lists in a row would become one.
    ...(/^- .*$/.test(description.trim().split("\n").at(-1) ?? "") ? ["Its fields:"] : []),
    markdownList(
      own
        .filter(([field]) => !elsewhere.includes(field))
        .map(([field, schema]) => [field, typeText(schema), schema.description ?? ""]),
    ),
  ];
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

function markdownList(entries: readonly (readonly [name: string, type: string, meaning: string])[]): string {
  return entries.map(([name, type, meaning]) => `- \`${name}\` (${type}): ${meaning.trim()}`).join("\n");
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
