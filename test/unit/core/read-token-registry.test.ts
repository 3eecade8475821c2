import fc from "fast-check";
import { expect, test } from "vitest";
import { readTokenRegistry, type TokenSink } from "../../../core/read-token-registry.ts";
import {
  parseTokenRegistry,
  type RegisteredToken,
  type TokenRegistry,
  tokenRegistryBytes,
} from "../../../core/token-registry.ts";
import { chunksOf, mostParsedAtOnce } from "../../support/chunks.ts";
import { issueToken } from "../../support/gateway-tokens.ts";

/** Names that look like what separates the entries. */
const names = [null, "Acme", "},{", '"tokens":[', "]}", "a\nb", "a\u2028b", "\\", "é😀"];
const pool = Array.from({ length: 20 }, (_, at) =>
  issueToken("acme", { name: names[at % names.length] ?? null }),
);

function registry(count: number, revision = 3): TokenRegistry {
  return { revision, tokens: pool.slice(0, count).map(({ entry }) => entry) };
}

/** Keeps the tokens as they are. */
class PlainSink implements TokenSink {
  readonly byDigest = new Map<string, RegisteredToken>();
  readonly #ids = new Set<string>();

  add(token: RegisteredToken): boolean {
    if (this.byDigest.has(token.sha256) || this.#ids.has(token.tokenId)) return false;
    this.byDigest.set(token.sha256, token);
    this.#ids.add(token.tokenId);
    return true;
  }
}

/** What came out, or why nothing did. */
async function outcome(bytes: Buffer, chunkSize: number): Promise<TokenRegistry | string> {
  try {
    const { revision, tokens } = await readTokenRegistry(chunksOf(bytes, chunkSize), () => new PlainSink());
    return { revision, tokens: [...tokens.byDigest.values()] };
  } catch (error) {
    return String(error);
  }
}

function wholeOutcome(bytes: Buffer): TokenRegistry | string {
  try {
    return parseTokenRegistry(bytes);
  } catch (error) {
    return String(error);
  }
}

const chunkSize = fc.integer({ min: 1, max: 2000 });

test("the canonical form comes out as it went in, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: pool.length }), chunkSize, async (count, size) => {
      expect(await outcome(tokenRegistryBytes(registry(count)), size)).toEqual(registry(count));
    }),
  );
});

test("any other form of the same JSON comes out the same", async () => {
  const document = JSON.parse(tokenRegistryBytes(registry(5)).toString());
  const { format, revision, tokens } = document;
  for (const text of [
    JSON.stringify(document),
    JSON.stringify(document, null, 2),
    `${tokenRegistryBytes(registry(5))}\n`,
    tokenRegistryBytes(registry(5)).toString().replaceAll("\n", "\r\n"),
    tokenRegistryBytes(registry(5)).toString().replaceAll(",\n", "\n,\n"),
    JSON.stringify({ tokens, revision, format }),
    JSON.stringify({ revision, format, tokens }, null, "\t"),
    JSON.stringify(document).replace('"tokens"', '"\\u0074okens"'),
    JSON.stringify(document).replace('"tokens":', `"tokens"${" ".repeat(1000)}:`),
    JSON.stringify(document).replace('"tokens":', '"tokens":[{}],"tokens":'),
    JSON.stringify(document).replace('"revision"', '"revision":{"tokens":[{}]},"revision"'),
    `{"tokens":[\n${tokens.map((token: object) => JSON.stringify(token)).join(",\n")}\n],"revision":3,"format":"${format}"}`,
  ]) {
    for (const size of [1, 100, 100_000]) expect(await outcome(Buffer.from(text), size)).toEqual(registry(5));
  }
});

test("whatever is changed in it, it is read or refused as the whole document is", async () => {
  const bytes = tokenRegistryBytes(registry(4));
  const edit = fc.record({
    at: fc.nat(bytes.length),
    remove: fc.integer({ min: 0, max: 30 }),
    insert: fc.constantFrom("", "\n", ",", "]}", "{}", '"', ",\n", "]", '],"tokens":[', "\ufeff", "x"),
    size: chunkSize,
  });
  await fc.assert(
    fc.asyncProperty(edit, async ({ at, remove, insert, size }) => {
      const changed = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(insert),
        bytes.subarray(at + remove),
      ]);
      expect(await outcome(changed, size)).toEqual(wholeOutcome(changed));
    }),
    { numRuns: 1000 },
  );
});

test("a comma without an entry is refused as the whole document is", async () => {
  const text = tokenRegistryBytes(registry(3)).toString();
  for (const [from, to] of [
    ["[\n", "[\n,\n"],
    [",\n", ",\n,\n"],
    ["\n]}", ",\n]}"],
    [",\n", "\n"],
  ] as const) {
    const changed = Buffer.from(text.replace(from, to));
    for (const size of [1, 50, 100_000]) expect(await outcome(changed, size)).toMatch(/not JSON/);
  }
});

test("two entries of one token are refused, also far apart", async () => {
  const { tokens } = registry(10);
  const [first] = tokens;
  if (first === undefined) throw new Error("no token");
  const twice = tokenRegistryBytes({ revision: 1, tokens: [...tokens, first] });
  expect(await outcome(twice, 300)).toMatch(/two entries/);
});

test("a fault far behind is named by its place in the whole list", async () => {
  const { tokens } = registry(20);
  const faulty = tokens.map((token, at) => (at === 17 ? { ...token, rateLimit: 0 } : token));
  const bytes = tokenRegistryBytes({ revision: 1, tokens: faulty });
  for (const size of [40, 1000, 100_000]) {
    expect(await outcome(bytes, size)).toMatch(/\/tokens\/17\/rateLimit must be/);
  }
});

test("a registry of another format is refused for its format, whatever its entries are", async () => {
  const bytes = Buffer.from('{"tokens":[{"id":1}],"revision":9,"format":"partner-programs/tokens@2"}');
  expect(await outcome(bytes, 10)).toBe(wholeOutcome(bytes));
  expect(await outcome(bytes, 10)).toMatch(/\/format must be "partner-programs\/tokens@1"/);
});

test.each([
  ["as our commands write it", (bytes: Buffer) => bytes],
  ["on one line", (bytes: Buffer) => Buffer.from(JSON.stringify(JSON.parse(bytes.toString())))],
])(
  "a large registry, %s, is read chunk by chunk, so that it does not block the event loop",
  async (_, as) => {
    const tokens = Array.from({ length: 3000 }, () => issueToken("acme").entry);
    const bytes = as(tokenRegistryBytes({ revision: 1, tokens }));
    const size = 64 * 1024;
    const read = () => readTokenRegistry(chunksOf(bytes, size), () => new PlainSink());
    const { result, characters } = await mostParsedAtOnce(read);
    expect(result.tokens.byDigest.size).toBe(3000);
    expect(bytes.length).toBeGreaterThan(8 * size);
    expect(characters).toBeLessThan(2 * size);
    expect(characters).toBeGreaterThan(size / 2);
  },
);
