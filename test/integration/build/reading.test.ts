import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type SourceClient, type SourcePool, withSourcePool } from "../../../cli/database/connect.ts";
import { withLockPatience } from "../../../cli/publish/run/build-run.ts";
import {
  type ReadProgram,
  readPrograms,
  readSums,
  type StrayRows,
} from "../../../cli/publish/source/read-programs.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { cannedLimits } from "../../support/canned-source.ts";
import { freshWorkbench } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
/** As many programs as are fetched at a time. */
const round = 64;
const bench = freshWorkbench();

/** As a build would, which reads a few programs at once; or always in rounds. */
const ways = ["usual", "rounds"] as const;
let way: (typeof ways)[number] = "usual";

const never = new AbortController().signal;

function withPool<Result>(run: (pool: SourcePool) => Promise<Result>): Promise<Result> {
  return withSourcePool({ databaseUrl: bench.database.url, connections: 2, signal: never }, run);
}

interface Reading {
  readonly programs: readonly ReadProgram[];
  readonly strays: readonly StrayRows[];
}

/** Everything of the tenant; `afterBatch` runs while the reading is under way. */
function readAll(afterBatch: (batch: number) => Promise<void> = async () => {}): Promise<Reading> {
  return withPool((pool) =>
    pool.withReading(async (client) => {
      const { sums, strays } = await readSums(client, acme);
      const count = way === "usual" ? sums.size : undefined;
      const batches = readPrograms(client, acme, cannedLimits, { count });
      const programs: ReadProgram[] = [];
      for (let batch = 1; ; batch += 1) {
        const next = await batches.next();
        if (next.done === true) return { programs, strays };
        programs.push(...next.value);
        await afterBatch(batch);
      }
    }),
  );
}

async function insertPrograms(ids: readonly (string | null)[]): Promise<void> {
  await bench.source.query(
    `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state)
     SELECT 'acme', id, 'before', 'active' FROM unnest($1::text[]) AS id`,
    [ids],
  );
}

/** One room price of each program, its amount the length of the id, and a FAQ of every third. */
async function insertChildren(ids: readonly (string | null)[]): Promise<void> {
  await bench.source.query(
    `INSERT INTO partner_source.room_prices
     SELECT 'acme', id, 2, length(id) FROM unnest($1::text[]) AS id`,
    [ids],
  );
  await bench.source.query(
    `INSERT INTO partner_source.faq
     SELECT 'acme', id, 1, 'Q', id FROM unnest($1::text[]) WITH ORDINALITY AS ids (id, n) WHERE n % 3 = 0`,
    [ids],
  );
}

function ids(count: number, prefix = "p"): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(4, "0")}`);
}

/** That each program has exactly its own children. */
function expectOwnChildren({ programs }: Reading, withChildren: readonly string[]): void {
  const known = new Set(withChildren);
  for (const { source } of programs) {
    const { programId, roomPrices, faq } = source;
    expect(roomPrices).toEqual(known.has(String(programId)) ? [[2, String(String(programId).length)]] : []);
    expect(faq.every(([, answer]) => answer === programId)).toBe(true);
  }
  const faqs = programs.reduce((sum, { source }) => sum + source.faq.length, 0);
  expect(faqs).toBe(Math.floor(withChildren.length / 3));
}

describe.each(ways)("in the way %s", (chosen) => {
  beforeEach(() => {
    way = chosen;
  });

  describe("reading a tenant's programs in rounds", () => {
    test.each([0, 1, round - 1, round, round + 1, 2 * round - 1, 2 * round, 2 * round + 1, 700])(
      "gives %d programs by id, each once and with its own children",
      async (count) => {
        const all = ids(count);
        await insertPrograms([...all].reverse());
        await insertChildren(all);
        const reading = await readAll();
        expect(reading.programs.map(({ source }) => source.programId)).toEqual(all);
        expect(reading.programs.some(({ isDuplicate }) => isDuplicate)).toBe(false);
        expectOwnChildren(reading, all);
        expect(reading.strays).toEqual([]);
      },
    );
  });

  describe("ids as the order of reading meets them", () => {
    test("gives an id that comes twice or more once, and marks it", async () => {
      const all = ids(2 * round + 10);
      const twice = [all[0], all[round - 1], all[round], all[2 * round - 1]].filter((id) => id !== undefined);
      await insertPrograms([...all, ...twice, ...twice.slice(1, 2)]);
      await insertChildren(all);
      const reading = await readAll();
      const marked = reading.programs.filter(({ isDuplicate }) => isDuplicate);
      expect(marked.map(({ source }) => source.programId)).toEqual([...twice].sort());
      for (const { source } of reading.programs) expect(source.roomPrices).toEqual([[2, "5"]]);
    });
  });
});

describe("one consistent reading", () => {
  test("P5 shows nothing of a transaction that changes programs and children while it is under way", async () => {
    const all = ids(4 * round);
    await insertPrograms(all);
    await insertChildren(all);
    const writer = new pg.Client({ connectionString: bench.database.url });
    await writer.connect();
    const reading = await readAll(async (batch) => {
      if (batch !== 1) return;
      await writer.query(`
        BEGIN;
        UPDATE partner_source.programs SET name = 'after', lifecycle_state = 'draft';
        UPDATE partner_source.room_prices SET amount = amount + 1000;
        DELETE FROM partner_source.faq;
        INSERT INTO partner_source.programs SELECT 'acme', 'q' || n FROM generate_series(1, 500) AS n;
        INSERT INTO partner_source.enrollments SELECT 'acme', program_id, 'confirmed', 'passenger'
          FROM partner_source.programs;
        COMMIT`);
    });
    await writer.end();
    expect(reading.programs).toHaveLength(all.length);
    expect(new Set(reading.programs.map(({ source }) => source.name))).toEqual(new Set(["before"]));
    expect(reading.programs.every(({ source }) => source.enrollments.length === 0)).toBe(true);
    expectOwnChildren(reading, all);

    const later = await readAll();
    expect(later.programs).toHaveLength(all.length + 500);
    expect(later.programs[0]?.source).toMatchObject({ name: "after", faq: [] });
  });

  test("P5 can't write", async () => {
    const writing = withPool((pool) =>
      pool.withReading((client) => client.query("DELETE FROM partner_source.programs")),
    );
    await expect(writing).rejects.toThrow("read-only transaction");
  });
});

describe("P130 a lock that is waited for in vain", () => {
  let locker: pg.Client;

  beforeAll(async () => {
    locker = new pg.Client({ connectionString: bench.database.url });
    await locker.connect();
  });

  afterAll(async () => {
    await locker.end();
  });

  const locked = (client: SourceClient): Promise<unknown> => client.query("SELECT FROM partner_source.faq");

  async function limit(client: SourceClient): Promise<string> {
    const { rows } = await client.query<{ lock_timeout: string }>("SHOW lock_timeout");
    return rows[0]?.lock_timeout ?? "";
  }

  test("the readings of a run share the time for which they wait for a lock in vain", async () => {
    await withSourcePool(
      { databaseUrl: bench.database.url, connections: 1, signal: never },
      async (source) => {
        const pool = withLockPatience(source, { firstMs: 400, allMs: 300, eachMs: 50 });
        expect(await pool.withReading(limit)).toBe("400ms");
        await locker.query("BEGIN; LOCK TABLE partner_source.faq IN ACCESS EXCLUSIVE MODE");
        await expect(pool.withReading(locked)).rejects.toThrow("pg_blocking_pids() names the session");
        expect(await pool.withReading(limit)).toBe("50ms");
        await locker.query("COMMIT");
        await pool.withReading(locked);
        // Each run begins anew.
        expect(
          await withLockPatience(source, { firstMs: 400, allMs: 300, eachMs: 50 }).withReading(limit),
        ).toBe("400ms");
      },
    );
  });
});
