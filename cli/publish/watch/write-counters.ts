import { setTimeout as delay } from "node:timers/promises";
import { asFailure } from "../../../core/failure.ts";
import type { Logger } from "../../../core/logger.ts";
import type { SourceClient, SourcePool } from "../../database/connect.ts";
import { contractViews } from "../source/contract.ts";

export interface PollOptions {
  readonly pool: SourcePool;
  readonly everyMs: number;
  /** A table behind the views was written to, or may have been while the counters could not be read. */
  readonly onMoved: () => void;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Runs `use` while the write counters are read repeatedly. The promise for `use` resolves after the first look, even a failed
 * one. A build that begins after it reads no older data than the look saw.
 */
export async function withWriteCounters<Result>(
  { pool, everyMs, onMoved, logger, signal }: PollOptions,
  use: (firstLook: Promise<void>) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  const stopped = AbortSignal.any([signal, closing.signal]);
  let before: string | undefined;
  let isDown = false;

  async function look(): Promise<void> {
    try {
      const counters = await pool.withReading(readWriteCounters);
      if (isDown || (before !== undefined && before !== counters)) onMoved();
      if (isDown) logger.info("write counters are back");
      before = counters;
      isDown = false;
    } catch (error) {
      if (stopped.aborted) return;
      if (!isDown) logger.warn({ failure: asFailure(error).message }, "write counters cannot be read");
      isDown = true;
    }
  }

  const firstLook = look();
  async function poll(): Promise<void> {
    await firstLook;
    while (!stopped.aborted) {
      await delay(everyMs, undefined, { signal: stopped }).catch(() => {});
      if (!stopped.aborted) await look();
    }
  }
  const polling = poll();
  try {
    return await use(firstLook);
  } finally {
    closing.abort();
    await polling;
  }
}

/**
 * P36: a digest of how often each table behind the views was written to, as PostgreSQL's statistics know it, of where its
 * rows lie (another file after TRUNCATE), and of the views' definitions. Any role may see these.
 */
export async function readWriteCounters(client: SourceClient): Promise<string> {
  const { rows } = await client.query<{ counters: string }>({
    text: countersQuery,
    values: [contractViews.map(({ name }) => name)],
  });
  return rows[0]?.counters ?? "";
}

/** Views and partitioned tables lead to the tables behind them. A materialized view holds rows of its own. */
const countersQuery = `
  WITH RECURSIVE behind (oid) AS (
    SELECT c.oid FROM pg_class AS c
     WHERE c.relnamespace = to_regnamespace('partner_source') AND c.relname = ANY ($1::text[])
    UNION
    SELECT part.oid
      FROM behind
      JOIN pg_class AS whole ON whole.oid = behind.oid AND whole.relkind <> 'm'
      CROSS JOIN LATERAL (
        SELECT used.refobjid
          FROM pg_rewrite AS rule
          JOIN pg_depend AS used ON used.classid = 'pg_rewrite'::regclass AND used.objid = rule.oid
           AND used.refclassid = 'pg_class'::regclass
         WHERE rule.ev_class = whole.oid
        UNION ALL
        SELECT inhrelid FROM pg_inherits WHERE inhparent = whole.oid
      ) AS part (oid)
  )
  SELECT coalesce(md5(string_agg(concat_ws(' ', c.oid, c.relfilenode, counts.n_tup_ins, counts.n_tup_upd,
           counts.n_tup_del, rule.versions), ',' ORDER BY c.oid)), '') AS counters
    FROM behind
    JOIN pg_class AS c ON c.oid = behind.oid
    LEFT JOIN pg_stat_all_tables AS counts ON counts.relid = c.oid
    LEFT JOIN LATERAL (
      SELECT string_agg(concat_ws(' ', r.oid, r.xmin), ',' ORDER BY r.oid) AS versions
        FROM pg_rewrite AS r WHERE r.ev_class = c.oid
    ) AS rule ON true`;
