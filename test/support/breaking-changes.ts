/**
 * What of an OpenAPI document of a read-only API would break a client that was written for an earlier one: the rules of
 * oasdiff that concern answers, parameters and security. Additions are none. Descriptions and examples don't count.
 */
export function breakingChanges(released: unknown, current: unknown): readonly string[] {
  const found: string[] = [];
  const one = reader(released);
  const other = reader(current);
  for (const [path, item] of one.entries(one.root.paths)) {
    const now = other.at(other.root.paths?.[path]);
    if (now === undefined) found.push(`${path}: path removed`);
    else if (now.get === undefined) found.push(`${path}: GET removed`);
    else {
      const parameters = (of: Reader, { parameters: shared, get }: Part): readonly Part[] => [
        ...of.list(shared),
        ...of.list(get.parameters),
      ];
      found.push(...parameterChanges(path, parameters(one, item), parameters(other, now)));
      const mustSend = (of: Reader, { get }: Part): boolean => of.at(get.requestBody)?.required === true;
      if (mustSend(other, now) && !mustSend(one, item)) found.push(`${path}: a body became required`);
      if (securityOf(one, item.get) !== securityOf(other, now.get)) found.push(`${path}: security changed`);
      found.push(...responseChanges(path, one, item.get.responses, other, now.get.responses));
    }
  }
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: both documents are looked into wherever they differ
type Part = any;

interface Reader {
  readonly root: Part;
  /** A part with its reference followed. */
  at(part: Part): Part;
  entries(parts: Part): [string, Part][];
  list(parts: Part): Part[];
}

function reader(root: Part): Reader {
  const at = (part: Part): Part => {
    if (typeof part?.$ref !== "string") return part;
    const { $ref, ...beside } = part;
    const target = $ref
      .slice(2)
      .split("/")
      .reduce((value: Part, key: string) => value?.[key], root);
    return { ...at(target), ...beside };
  };
  return {
    root,
    at,
    entries: (parts) => Object.entries(parts ?? {}).map(([key, part]) => [key, at(part)]),
    list: (parts) => (parts ?? []).map(at),
  };
}

/** What a request proves who it is with: the schemes that it names, and what each of them is. */
function securityOf({ root, at }: Reader, operation: Part): string {
  const required: readonly Part[] = operation.security ?? root.security ?? [];
  const names = required.flatMap((choice) => Object.keys(choice));
  // Its format is a hint for people.
  const schemes = names.map((name) => ({ ...at(root.components.securitySchemes[name]), bearerFormat: "" }));
  return shape([required, schemes]);
}

function parameterChanges(path: string, before: readonly Part[], after: readonly Part[]): string[] {
  const found: string[] = [];
  const key = ({ in: place, name }: Part): string => `${place} ${name}`;
  const known = new Map(before.map((parameter) => [key(parameter), parameter]));
  for (const parameter of after) {
    const was = known.get(key(parameter));
    if (parameter.required && !was?.required) found.push(`${path}: ${key(parameter)} became required`);
    if (was !== undefined && shape(was.schema) !== shape(parameter.schema))
      found.push(`${path}: ${key(parameter)} is described otherwise`);
    known.delete(key(parameter));
  }
  return [...found, ...[...known.keys()].map((gone) => `${path}: ${gone} removed`)];
}

function responseChanges(path: string, one: Reader, before: Part, other: Reader, after: Part): string[] {
  const found: string[] = [];
  for (const [status, was] of one.entries(before)) {
    const where = `${path} ${status}`;
    const now = other.at(after?.[status]);
    if (now === undefined) {
      found.push(`${where}: status removed`);
      continue;
    }
    for (const [name, header] of one.entries(was.headers)) {
      const kept = other.at(now.headers?.[name]);
      if (kept === undefined) found.push(`${where}: header ${name} removed`);
      else if (header.required && !kept.required) found.push(`${where}: header ${name} became optional`);
      else if (shape(one.at(header.schema)) !== shape(other.at(kept.schema)))
        found.push(`${where}: header ${name} is described otherwise`);
    }
    for (const [type, { schema }] of one.entries(was.content)) {
      const kept = now.content?.[type];
      if (kept === undefined) found.push(`${where}: ${type} removed`);
      else found.push(...schemaChanges(where, one, schema, other, kept.schema));
    }
  }
  return found;
}

/** What an answer may be now that it could not be before, or has no more. */
function schemaChanges(where: string, one: Reader, before: Part, other: Reader, after: Part): string[] {
  const [was, now] = [one.at(before), other.at(after)];
  if (was === undefined || now === undefined) return was === now ? [] : [`${where}: schema removed`];
  const found: string[] = [];
  const alternatives: readonly Part[] | undefined = asOne(one, was.anyOf ?? was.oneOf);
  const others: readonly Part[] = asOne(other, now.anyOf ?? now.oneOf) ?? [now];
  if (alternatives !== undefined || others.length > 1) {
    const fits = (part: Part): boolean =>
      (alternatives ?? [was]).some((old) => schemaChanges(where, one, old, other, part).length === 0);
    return others.every(fits) ? [] : [`${where}: may be something else`];
  }
  const types = [was.type].flat();
  if (![now.type].flat().every((type) => types.includes(type))) found.push(`${where}: type widened`);
  const words = was.enum ?? (was.const === undefined ? undefined : [was.const]);
  const wordsNow = now.enum ?? (now.const === undefined ? undefined : [now.const]);
  if (words !== undefined && !(wordsNow?.every((word: unknown) => words.includes(word)) ?? false))
    found.push(`${where}: value added to an enumeration`);
  for (const bound of ["minimum", "exclusiveMinimum", "maximum", "pattern", "format"])
    if (was[bound] !== undefined && was[bound] !== now[bound]) found.push(`${where}: ${bound} changed`);
  if (was.items !== undefined) found.push(...schemaChanges(`${where}[]`, one, was.items, other, now.items));
  for (const [name, property] of Object.entries(was.properties ?? {})) {
    const place = `${where}.${name}`;
    if (now.properties?.[name] === undefined) found.push(`${place}: removed`);
    else {
      if (was.required?.includes(name) && !now.required?.includes(name))
        found.push(`${place}: became optional`);
      const compared = isWording(place) ? typeOnly : (part: Part) => part;
      found.push(...schemaChanges(place, one, compared(property), other, compared(now.properties[name])));
    }
  }
  return found;
}

/**
 * Alternatives that are objects of the same fields, as one object whose constants are an enumeration. A client that reads one
 * of the alternatives reads the object in the same way.
 */
function asOne(of: Reader, alternatives: readonly Part[] | undefined): readonly Part[] | undefined {
  const parts = of.list(alternatives);
  const [first, ...rest] = parts;
  const fields = (part: Part): string => Object.keys(part?.properties ?? {}).join();
  if (rest.length === 0 || fields(first) === "") return alternatives;
  if (parts.some((part) => fields(part) !== fields(first))) return alternatives;
  const names = Object.keys(first.properties);
  const words = (name: string): readonly unknown[] => parts.map((part) => part.properties[name].const);
  if (names.some((name) => words(name).includes(undefined))) return alternatives;
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string", enum: words(name) }]));
  return [{ type: "object", properties, required: first.required }];
}

/** The page of changes promises no wording of messages. */
function isWording(place: string): boolean {
  return place.endsWith(".error.message");
}

function typeOnly({ type }: Part): Part {
  return { type };
}

/** A schema without its words. */
function shape(schema: Part): string {
  return JSON.stringify(schema, (key, value) => (key === "description" ? undefined : value));
}
