import { watch } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { lastGoodFolder } from "../../../gateway/mirror-folder.ts";
import type { GatewayProcess } from "../../support/gateway-process.ts";
import { type PublishedSnapshot, publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { ask, openLastGoodStage } from "../../support/last-good-stage.ts";
import { forEachTest } from "../../support/lasting.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
const stage = forEachTest(openLastGoodStage);

beforeEach(async () => {
  await stage.tokens.write([acme]);
});

const published = new Map<string, PublishedSnapshot>();
let generation = 0;

async function publish(): Promise<void> {
  generation += 1;
  const snapshot = await publishSnapshot(stage.store, "acme", {
    programIds: ["p1"],
    generation,
    mark: `generation ${generation}`,
    minBytes: 20_000,
  });
  published.set(snapshot.snapshotId, snapshot);
}

/** Both resources, by whatever is there to answer. */
async function askBoth(gateway: GatewayProcess): Promise<void> {
  const paths = ["/v1/programs", "/v1/programs/p1"];
  await Promise.allSettled(paths.map((path) => ask(gateway.api, path, acme.plaintext)));
}

/** Publishes and asks until the process is gone. */
async function load(gateway: GatewayProcess): Promise<void> {
  let isOver = false;
  void gateway.ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await publish();
    await askBoth(gateway);
  }
}

/** A gateway that came to its end in peace, so that there is something to lose. */
async function leaveCopy(): Promise<void> {
  await publish();
  const gateway = await stage.start();
  await askBoth(gateway);
  gateway.signal("SIGTERM");
  await gateway.ended;
}

test("W77: killed at whatever write, it starts again and serves right bytes only, of no older generation", async () => {
  const folder = await lastGoodFolder(stage.directory, `s3://programs/ ${stage.hop.url}`);
  await leaveCopy();
  let newest = 0;
  for (let writes = 1; writes <= rounds; writes += 1) {
    await publish();
    // The kill meets a file while it is made, written, renamed, or just after.
    let seen = 0;
    const watcher = watch(folder, { recursive: true });
    const gateway = await stage.start();
    watcher.on("change", () => {
      seen += 1;
      if (seen === writes) gateway.signal("SIGKILL");
    });
    await load(gateway);
    watcher.close();

    await stage.hop.refuse();
    const next = await stage.start();
    const list = await ask(next.api, "/v1/programs", acme.plaintext);
    const detail = await ask(next.api, "/v1/programs/p1", acme.plaintext);
    for (const { status, headers } of [list, detail]) {
      expect([200, 500]).toContain(status);
      if (status !== 200) continue;
      const snapshot = published.get(headers["snapshot-id"] ?? "");
      expect(snapshot?.generation).toBeGreaterThanOrEqual(newest);
      newest = snapshot?.generation ?? newest;
    }
    const [listed, detailed] = [list, detail].map(({ headers }) =>
      published.get(headers["snapshot-id"] ?? ""),
    );
    if (list.status === 200) expect(list.body).toEqual(listed?.list);
    if (detail.status === 200) expect(detail.body).toEqual(detailed?.details.get("p1"));
    next.signal("SIGKILL");
    await next.ended;
    await stage.hop.restore();
  }
  // How much a killed one leaves depends on how far it came. After all of them, one that ends in peace leaves everything.
  await leaveCopy();
  await stage.hop.refuse();
  const last = await stage.start();
  const answers = await Promise.all(
    ["/v1/programs", "/v1/programs/p1"].map((path) => ask(last.api, path, acme.plaintext)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(published.get(answers[0]?.headers["snapshot-id"] ?? "")?.generation).toBe(generation);
});

const rounds = 8;
