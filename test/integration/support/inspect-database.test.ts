import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../support/gateway-client.ts";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { openSupportDesk } from "../../support/support-desk.ts";

const desk = forAllTests(openSupportDesk);
let pages: InspectFixture;
/** Looks at the sessions of the desk's database. */
let watcher: pg.Client;

beforeAll(async () => {
  await desk.build();
  pages = await startInspect(desk);
  watcher = new pg.Client({ connectionString: desk.env.DATABASE_URL });
  await watcher.connect();
});

afterAll(async () => {
  await pages.close();
  await watcher.end();
});

async function sessions(condition = "true"): Promise<number> {
  const { rows } = await watcher.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'partner-programs' AND ${condition}`,
  );
  return rows[0].n;
}

/**
 * The most sessions that were at work at once until `done`. One that was left is still there, idle, until the
 * server ends it.
 */
async function mostSessions(done: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = done.finally(() => (isDone = true));
  let most = 0;
  while (!isDone) {
    most = Math.max(most, await sessions("state IS DISTINCT FROM 'idle'"));
    await delay(5);
  }
  await ended;
  return most;
}

test("P180: while the booking database hangs, four wait for it, the others hear that it is busy, and all is well after it", async () => {
  await desk.source.query("BEGIN; LOCK TABLE partner_source.programs IN ACCESS EXCLUSIVE MODE");
  const searches = Promise.all(Array.from({ length: 140 }, () => pages.get("/find?q=osaka+night")));
  expect(await mostSessions(searches)).toBe(4);
  const answers = await Promise.all(
    (await searches).map(async (answer) => ({ answer, text: await answer.text() })),
  );
  const silent = answers.filter(({ answer }) => answer.status === 200);
  expect(silent).toHaveLength(4);
  for (const { text } of silent) expect(text).toContain("did not answer within 3 seconds");
  const busy = answers.filter(({ answer }) => answer.status === 503);
  expect(busy).toHaveLength(136);
  for (const { answer, text } of busy) {
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(text).toContain("Too many pages ask");
  }
  // Pages that ask the store alone are there all the while.
  expect((await pages.get("/")).status).toBe(200);

  // The server itself ends what nobody waits for any more, although the lock stays.
  await expect.poll(() => sessions()).toBe(0);
  await desk.source.query("COMMIT");
  // A busy machine may not answer within the page's 3 seconds either.
  const found = await eventually(
    async () => (await pages.get("/find?q=osaka+night")).text(),
    (text) => text.includes("OSAKA-3"),
  );
  expect(found).toContain("OSAKA-3");
});
