import { readFileSync } from "node:fs";

/** A document of `schemas/examples`, by file name without `.json`. */
export function example(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../schemas/examples/${name}.json`, import.meta.url), "utf8"));
}

/** A copy of the document with another value at a JSON pointer, which may name a new key. */
export function replaced(document: unknown, pointer: string, value: unknown): unknown {
  const [name, rest] = firstToken(pointer);
  if (name === undefined) return value;
  if (Array.isArray(document)) {
    return document.map((element, at) => (String(at) === name ? replaced(element, rest, value) : element));
  }
  // `Object.entries` and `fromEntries` keep a key that is called `__proto__`.
  const entries = new Map(Object.entries(document ?? {}));
  return Object.fromEntries(entries.set(name, replaced(entries.get(name), rest, value)));
}

/** A copy of the document without the key at a JSON pointer. */
export function removed(document: unknown, pointer: string): unknown {
  const [name, rest] = firstToken(pointer);
  if (name === undefined) return undefined;
  if (Array.isArray(document)) {
    return document.map((element, at) => (String(at) === name ? removed(element, rest) : element));
  }
  const entries = Object.entries(document ?? {});
  if (rest === "") return Object.fromEntries(entries.filter(([key]) => key !== name));
  return Object.fromEntries(entries.map(([key, part]) => [key, key === name ? removed(part, rest) : part]));
}

/** JSON pointers to every object of a document, the document itself first. */
export function objectsOf(document: unknown, pointer = ""): readonly string[] {
  if (typeof document !== "object" || document === null) return [];
  const inside = Object.entries(document).flatMap(([key, part]) => objectsOf(part, `${pointer}/${key}`));
  return Array.isArray(document) ? inside : [pointer, ...inside];
}

/** The value at a JSON pointer. */
export function valueAt(document: unknown, pointer: string): unknown {
  const [name, rest] = firstToken(pointer);
  if (name === undefined) return document;
  return valueAt(new Map(Object.entries(document ?? {})).get(name), rest);
}

function firstToken(pointer: string): readonly [name: string | undefined, rest: string] {
  const [, token, ...rest] = pointer.split("/");
  const name = token?.replaceAll("~1", "/").replaceAll("~0", "~");
  return [name, rest.map((further) => `/${further}`).join("")];
}
