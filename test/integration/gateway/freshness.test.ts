import { afterEach, describe, expect, test } from "vitest";
import { confirmedKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { storeConfirmations } from "../../support/confirmed-document.ts";
import { type Answer, type Client, eventually } from "../../support/gateway-client.ts";
import {
  type Fault,
  type FaultyStore,
  faultyStore,
  missing,
  replacedBy,
  stalledAfter,
  stuck,
  unavailable,
} from "../../support/gateway-faulty-store.ts";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import {
  manifestDigest,
  type PublishedSnapshot,
  publishManifest,
  publishPointer,
  publishSnapshot,
} from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { sized } from "../../support/quick-pass.ts";
import { setClocks } from "../../support/set-clocks.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
const limited = issueToken("acme", { rateLimit: 1 });
const scopeless = issueToken("acme", { scopes: [] });
const content = { programIds: ["p1"] };
/** When the database was read for the first snapshot. */
const readAt = "2026-11-21T07:00:00.000Z";
const confirmedAt = "2026-11-21T08:00:00.000Z";
const laterAt = "2026-11-21T09:00:00.000Z";
const confirmedKeyPattern = /^runs\/confirmed\.json$/;

let gateway: GatewayFixture;
let seen: FaultyStore;
let client: Client;
let first: PublishedSnapshot;

afterEach(() => gateway.close());

async function start(
  options: {
    readonly env?: Readonly<Record<string, string>> | undefined;
    readonly fault?: Fault;
    readonly at?: string;
  } = {},
): Promise<void> {
  gateway = await startGateway({
    env: options.env ?? {},
    waits: { confirmedMs: 100 },
    async fill(store, tokens) {
      await tokens.write([acme, limited, scopeless]);
      first = await publishSnapshot(store, "acme", { ...content, generation: 1, generatedAt: readAt });
      if (options.at !== undefined) await confirm(store, first, options.at);
    },
    seen(store) {
      seen = faultyStore(store);
      if (options.fault !== undefined) seen.breakKeys(confirmedKeyPattern, options.fault);
      return seen;
    },
    seenTokens: (store) => store,
  });
  ({ client } = gateway);
}

async function confirm(
  store: Parameters<typeof storeConfirmations>[0],
  { snapshotId }: PublishedSnapshot,
  at: string,
): Promise<void> {
  await storeConfirmations(store, { acme: { snapshotId, confirmedAt: at } });
}

const list = (): Promise<Answer> => client.get("/v1/programs", acme.plaintext);
const confirmedOf = ({ headers }: Answer): string | undefined => headers["snapshot-confirmed-at"];
const shows = (at: string | undefined) => (answer: Answer) => confirmedOf(answer) === at;
/** The document was asked for this many times more; so at least all but the last of them are over. */
async function looks(count: number): Promise<void> {
  const asked = (): number => seen.asked.filter((key) => key === confirmedKey).length;
  const before = asked();
  await eventually(asked, (now) => now >= before + count);
}

describe("W45 Snapshot-Confirmed-At", () => {
  test("is on authenticated 200 and 404 answers of every resource, as late as the gateway knows", async () => {
    await start();
    await looks(2);
    expect(await list()).toSatisfy(shows(readAt));
    await confirm(gateway.store, first, confirmedAt);
    await eventually(list, shows(confirmedAt));
    for (const [path, status] of [
      ["/v1/programs", 200],
      ["/v1/programs/p1", 200],
      ["/v1/programs/none", 404],
      ["/api/v1/partner/programs", 200],
    ] as const) {
      const answer = await client.get(path, acme.plaintext);
      expect([path, answer.status, confirmedOf(answer)]).toEqual([path, status, confirmedAt]);
      expect(answer.headers["snapshot-generated-at"]).toBe(first.generatedAt);
    }
    await confirm(gateway.store, first, laterAt);
    await eventually(list, shows(laterAt));
  });

  test("is told anew once it is known, however seldom the pointer is asked for", async () => {
    await start({ env: { SNAPSHOT_REFRESH_MS: "3600000" } });
    await looks(2);
    expect(await list()).toSatisfy(shows(readAt));
    await confirm(gateway.store, first, confirmedAt);
    await eventually(list, shows(confirmedAt));
  });

  test("is on no other answer", async () => {
    await start({ at: confirmedAt });
    await eventually(list, shows(confirmedAt));
    await client.get("/v1/programs", limited.plaintext);
    for (const [path, token, status] of [
      ["/v1/programs/.bad", acme.plaintext, 400],
      ["/v1/programs", undefined, 401],
      ["/v1/programs", issueToken("acme").plaintext, 401],
      ["/v1/programs", scopeless.plaintext, 403],
      ["/unknown", acme.plaintext, 404],
      ["/v1/programs", limited.plaintext, 429],
    ] as const) {
      const answer = await client.get(path, token);
      expect([path, answer.status, confirmedOf(answer)]).toEqual([path, status, undefined]);
    }
  });

  test("P23 is of the snapshot that the answer comes from: of a new one its own reading, until it is confirmed again", async () => {
    await start({ at: laterAt });
    await eventually(list, shows(laterAt));
    const second = await publishSnapshot(gateway.store, "acme", {
      ...content,
      generation: 2,
      generatedAt: confirmedAt,
    });
    const answer = await eventually(list, ({ headers }) => headers["snapshot-id"] === second.snapshotId);
    expect(confirmedOf(answer)).toBe(confirmedAt);
    await confirm(gateway.store, second, laterAt);
    await eventually(list, shows(laterAt));
    await confirm(gateway.store, second, readAt);
    await eventually(list, shows(confirmedAt));
  });

  test("P23 a snapshot that only withdrew programs has none until it is confirmed", async () => {
    await start();
    const manifest = { ...first.manifest, generation: 2, contentAt: readAt };
    await publishManifest(gateway.store, manifest);
    await eventually(list, shows(undefined));
    await confirm(gateway.store, first, laterAt);
    await eventually(list, shows(laterAt));
  });

  test("P23 after a rollback it is that of the snapshot that is live again", async () => {
    await start();
    const second = await publishSnapshot(gateway.store, "acme", { ...content, generation: 2 });
    const { tenantId, snapshotId, manifest } = first;
    await eventually(list, ({ headers }) => headers["snapshot-id"] === second.snapshotId);
    const manifestSha256 = manifestDigest(manifest);
    await publishPointer(gateway.store, { tenantId, snapshotId, manifestSha256, generation: 3 });
    const back = await eventually(list, ({ headers }) => headers["snapshot-id"] === snapshotId);
    expect(confirmedOf(back)).toBe(readAt);
    await confirm(gateway.store, first, laterAt);
    await eventually(list, shows(laterAt));
  });
});

const huge = `{"format":"partner-programs/confirmed@1","tenants":{${" ".repeat(17 * 2 ** 20)}}}`;
/** A call's deadline is three tries of this and a second. */
const impatient = { STORE_TIMEOUT_MS: "100" };
const faults: readonly (readonly [string, Fault, Readonly<Record<string, string>>])[] = [
  ["is missing", missing, {}],
  ["cannot be reached", unavailable, {}],
  ["is damaged", replacedBy("{"), {}],
  ["is too large", replacedBy(huge), {}],
  ["never answers nor lets go", stuck, impatient],
  ["stops in the middle", stalledAfter(20), impatient],
];
/** In the quick pass none that waits for a deadline. */
const chosen = sized({ whole: faults, quick: faults.slice(0, 4) });

test.each(chosen)(
  "P25 a document that %s: at the start nothing changes but the header; later, what was known stays",
  async (_, fault, env) => {
    await start({ at: confirmedAt, fault, env });
    await eventually(list, ({ status }) => status === 200);
    const told = (): number => logged(/data could not be/);
    await eventually(told, (count) => count === 1);
    await looks(3);
    expect([told(), confirmedOf(await list())]).toEqual([1, readAt]);
    expect((await fetch(`${gateway.admin}/readyz`)).status).toBe(200);
    seen.mend();
    await eventually(list, shows(confirmedAt));
    expect(logged(/data is known again/)).toBe(1);
    seen.breakKeys(confirmedKeyPattern, fault);
    await looks(3);
    expect(await list()).toSatisfy(shows(confirmedAt));
    await confirm(gateway.store, first, laterAt);
    seen.mend();
    await eventually(list, shows(laterAt));
  },
);

test("the age of the data is told of every tenant of the document, and of the oldest in one number", async () => {
  const clocks = setClocks();
  const ago = (seconds: number): string => new Date(clocks.unixMs() - seconds * 1000).toISOString();
  gateway = await startGateway({
    clocks,
    waits: { confirmedMs: 100 },
    async fill(store, tokens) {
      await tokens.write([acme]);
      const { snapshotId } = await publishSnapshot(store, "acme", { programIds: ["p1"] });
      const others = Array.from({ length: 120 }, (_, at) => [`t${at}`, { snapshotId, confirmedAt: ago(at) }]);
      await storeConfirmations(store, {
        ...Object.fromEntries(others),
        // A builder's clock may be ahead.
        acme: { snapshotId, confirmedAt: ago(-5) },
      });
    },
  });
  ({ client } = gateway);
  const { metrics } = gateway;
  const text = await eventually(metrics, (seenText) => seenText.includes("gateway_data_age_seconds{"));
  expect(text).toMatch(/^gateway_data_age_max_seconds 119$/m);
  const ages = [...text.matchAll(/^gateway_data_age_seconds\{tenant="(\w+)"\} (\d+)$/gm)];
  expect(ages.map(([, tenant, age]) => [tenant, Number(age)])).toEqual(
    Array.from({ length: 100 }, (_, at) => [`t${119 - at}`, 119 - at]),
  );
  clocks.advance(60_000);
  expect(await metrics()).toMatch(/^gateway_data_age_max_seconds 179$/m);
  await gateway.store.put(confirmedKey, bytesBody(Buffer.from("{")));
  clocks.advance(60_000);
  expect(await metrics()).toMatch(/^gateway_data_age_max_seconds 239$/m);
});

const logged = (message: RegExp): number => gateway.log.filter(({ msg }) => message.test(String(msg))).length;
