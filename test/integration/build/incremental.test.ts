import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { release, rollback } from "../../../cli/change/snapshots/rollback.ts";
import { type SourcePool, withSourcePool } from "../../../cli/database/connect.ts";
import { readLiveManifest, readPointer } from "../../../cli/publish/snapshot/stored-snapshot.ts";
import { databaseRows } from "../../../cli/publish/source/tenant-rows.ts";
import type { BuildOptions } from "../../../cli/publish/tenant/build-context.ts";
import { buildTenant } from "../../../cli/publish/tenant/build-tenant.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { type ObjectKey, sourceMemoryKey } from "../../../core/ground/object-key.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { bytesBody, readBody, sha256Hex } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { cannedLimits, cannedOptions } from "../../support/canned-source.ts";
import { publishedSnapshot } from "../../support/published-snapshot.ts";
import { sized } from "../../support/quick-pass.ts";
import { anyHistory, anyIds, type Step } from "../../support/source-steps.ts";
import { useWorkbench } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
const never = new AbortController().signal;
const context = { now: () => new Date(), randomBytes, signal: never };
const bench = useWorkbench();

/** A store and what the builds into it are made with. */
interface World {
  readonly store: ObjectStore;
  readonly pool: SourcePool;
  setting: "object" | "total";
  damagedList: string | undefined;
}

async function build(world: World, options: Partial<BuildOptions> = {}): Promise<TenantRun> {
  const rules = { ...cannedOptions.rules, legacyCapacity: world.setting };
  return await buildTenant(
    acme,
    {
      ...cannedOptions,
      onInvalid: "report",
      rules,
      recipe: sha256Hex(Buffer.from(world.setting)),
      ...options,
    },
    {
      ...context,
      withRows: databaseRows(world.pool, cannedLimits),
      store: world.store,
      onProgress: () => {},
    },
  );
}

/** Findings about what a build changes, and not about the source. */
const ofChanges: ReadonlySet<string> = new Set([
  "fields_emptied",
  "capacity_changed",
  "mostly_changed",
  "mostly_withdrawn",
]);

/** What must not depend on the history. */
async function resultOf(world: World, run: TenantRun): Promise<object> {
  const { counts, leftOut, livePrograms, problems, problemsOmitted, problemCounts } = run;
  const { programs, notPublishable, invalid } = counts;
  const { bytes } = await publishedSnapshot(world.store, "acme");
  const isOfSource = (code: string): boolean => !ofChanges.has(code);
  const findings = {
    problems: problems.filter(({ code }) => isOfSource(code)),
    problemsOmitted,
    problemCounts: Object.fromEntries(Object.entries(problemCounts).filter(([code]) => isOfSource(code))),
  };
  return { counts: { programs, notPublishable, invalid }, leftOut, livePrograms, findings, bytes };
}

async function change(world: World, step: Step): Promise<void> {
  const { query } = bench.source;
  const set = async (column: string, id: string | null, value: string | null): Promise<void> => {
    await query(
      `UPDATE partner_source.programs SET ${column} = $2 WHERE program_id IS NOT DISTINCT FROM $1`,
      [id, value],
    );
  };
  switch (step.kind) {
    case "add":
      return await bench.insertPrograms("acme", {
        program_id: step.id,
        name: step.name,
        lifecycle_state: step.state,
      });
    case "remove":
      return await query("DELETE FROM partner_source.programs WHERE program_id IS NOT DISTINCT FROM $1", [
        step.id,
      ]);
    case "state":
      return await set("lifecycle_state", step.id, step.state);
    case "date":
      return await set("departure_date", step.id, step.date);
    case "currency":
      return await set("currency", step.id, step.currency);
    case "price":
      return await bench.source.insert("room_prices", {
        tenant_id: "acme",
        program_id: step.id,
        occupancy: 2,
        amount: step.amount,
      });
    case "faq":
      return await bench.source.insert("faq", {
        tenant_id: "acme",
        program_id: step.id,
        position: 1,
        question: "Really?",
        answer: step.answer,
      });
    case "findings":
      return await query(
        `INSERT INTO partner_source.faq (tenant_id, program_id, position, question, answer)
         SELECT 'acme', $1, n, 'Really?', ' ' FROM generate_series(1, $2::int) AS n`,
        [step.id, step.count],
      );
    case "mended":
      return await query("DELETE FROM partner_source.faq WHERE program_id IS NOT DISTINCT FROM $1", [
        step.id,
      ]);
    case "many":
      await query("DELETE FROM partner_source.programs WHERE program_id LIKE 'many-%'");
      return await query(
        `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
         SELECT 'acme', 'many-' || n, 'Kyoto', 'active', 10 FROM generate_series(1, $1::int) AS n`,
        [step.count],
      );
    case "long":
      return await set("description", step.id, "x".repeat(step.length));
    case "renamed":
      return await query(
        `UPDATE partner_source.programs SET name = $2 WHERE program_id IN (
           SELECT program_id FROM partner_source.programs ORDER BY program_id
           LIMIT (SELECT floor(count(*) * $1::float) FROM partner_source.programs))`,
        [step.share, step.name],
      );
    case "gone":
      return await end(step.how, "program_id IS NOT DISTINCT FROM $1", step.id);
    case "alone":
      return await end(step.how, "program_id IS DISTINCT FROM $1", step.id);
    case "moved child":
      return await query(
        "UPDATE partner_source.faq SET program_id = $2 WHERE program_id IS NOT DISTINCT FROM $1",
        [step.from, step.to],
      );
    case "damage":
      return await damage(world, step);
    case "foreign memory":
      return await rewriteObject(world.store, sourceMemoryKey(acme), (text) =>
        text.replace('"acme"', '"beta"'),
      );
    case "rollback":
      if (world.damagedList !== undefined) return;
      await rollback(acme, { allowShrink: true }, { ...context, store: world.store }).catch(() => {});
      return;
    case "release":
      await release(acme, { ...context, store: world.store }).catch(() => {});
      return;
    case "setting":
      world.setting = world.setting === "object" ? "total" : "object";
      return;
    case "rewrite":
    case "build":
      return;
  }
}

/** Takes the programs of `where` from the tenant. Their children stay behind, as rows of unknown programs. */
async function end(how: "deleted" | "ended" | "moved", where: string, id: string | null): Promise<void> {
  const changes = {
    deleted: "DELETE FROM partner_source.programs",
    ended: "UPDATE partner_source.programs SET lifecycle_state = 'ended'",
    moved: "UPDATE partner_source.programs SET tenant_id = 'beta'",
  };
  await bench.source.query(`${changes[how]} WHERE tenant_id = 'acme' AND ${where}`, [id]);
}

async function liveListKey({ store }: World): Promise<string | undefined> {
  const live = await readPointer(store, acme, never);
  return live && (await readLiveManifest(store, live.current, never)).list.key;
}

async function damage(world: World, { what, how }: Extract<Step, { kind: "damage" }>): Promise<void> {
  const { store } = world;
  if (world.damagedList !== undefined) return;
  const { manifest, current } = await publishedSnapshot(store, "acme");
  // On hold nothing mends it.
  if (what === "list" && current.hold !== null) return;
  world.damagedList = what === "list" ? manifest.list.key : undefined;
  const key = what === "memory" ? sourceMemoryKey(acme) : manifest.list.key;
  if (how === "gone") await store.delete([key]);
  else if (how === "cut") await rewriteObject(store, key, (text) => text.slice(0, text.length / 2));
  else await rewriteObject(store, key, (text) => text.replaceAll("Kyoto", "Tokyo").replaceAll("1", "2"));
}

async function rewriteObject(
  store: ObjectStore,
  key: ObjectKey,
  edit: (text: string) => string,
): Promise<void> {
  const found = await store.get(key);
  if (found.kind !== "object") return;
  const text = (await readBody(found, 2 ** 20, key)).toString();
  await store.put(key, bytesBody(Buffer.from(edit(text))));
}

/** Ids of the programs all of whose rows say that they are not to be published. */
async function withdrawnIds({ pool }: World): Promise<readonly string[]> {
  const { rows } = await pool.withReading((client) =>
    client.query<{ id: string }>(
      `SELECT program_id AS id FROM partner_source.programs WHERE tenant_id = 'acme' GROUP BY program_id
       HAVING bool_and(coalesce(lower(lifecycle_state) IN ('draft', 'cancelled', 'ended'), false))`,
    ),
  );
  return rows.map(({ id }) => id);
}

test("P21 whatever happened before, an incremental build leaves the bytes and the findings of a full one", {
  timeout: 600_000,
}, async () => {
  const tally = { builds: 0, merged: 0, held: 0, withdrawn: 0 };
  await withSourcePool({ databaseUrl: bench.database.url, connections: 2, signal: never }, async (pool) => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (steps) => {
        await bench.reset();
        await bench.source.insert("tenants", { tenant_id: "acme" });
        await bench.source.insert("tenants", { tenant_id: "beta" });
        await bench.insertPrograms("acme", ...anyIds.slice(0, 20));
        const world: World = { store: bench.store, pool, setting: "object", damagedList: undefined };
        await build(world);
        const all: readonly Step[] = [...steps, { kind: "build" }];
        for (const step of all) {
          await change(world, step);
          if (!["build", "rewrite"].includes(step.kind)) continue;
          let run = await build(world, { rewrite: step.kind === "rewrite" });
          // A list that nobody needed is not looked at; `--rewrite` is what mends it.
          if (world.damagedList !== undefined && (await liveListKey(world)) === world.damagedList) {
            run = await build(world, { rewrite: true });
          }
          world.damagedList = undefined;
          tally.builds += 1;
          if (run.requests.get > 3) tally.merged += 1;
          if ((run.counts.withdrawn ?? 0) > 0) tally.withdrawn += 1;
          const served = new Set((await publishedSnapshot(world.store, "acme")).details.keys());
          for (const id of await withdrawnIds(world)) expect(served.has(id)).toBe(false);
          if (run.outcome === "held") {
            tally.held += 1;
            continue;
          }
          expect(["published", "unchanged"]).toContain(run.outcome);
          expect(await resultOf(world, run)).toEqual(await fullResult(world));
        }
      }),
      { numRuns: sized({ whole: 40, quick: 6 }) },
    );
  });
  console.log(JSON.stringify(tally));
  const least = sized({ whole: 1, quick: 0 });
  for (const count of Object.values(tally)) expect(count).toBeGreaterThanOrEqual(least);
});

/** Of a build of the same source into an empty store. */
async function fullResult({ pool, setting }: World): Promise<object> {
  const directory = mkdtempSync(join(tmpdir(), "full-build-"));
  const store = createFileStore({ directory });
  try {
    const world: World = { store, pool, setting, damagedList: undefined };
    return await resultOf(world, await build(world));
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}
