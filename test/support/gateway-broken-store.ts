import type { Answer } from "./gateway-client.ts";
import {
  brokenAfter,
  denied,
  endedAfter,
  type Fault,
  type FaultyStore,
  faultyStore,
  missing,
  replacedBy,
  stalled,
  stalledAfter,
  stuck,
  unavailable,
} from "./gateway-faulty-store.ts";
import { type FixtureOptions, startGateway } from "./gateway-fixture.ts";
import { type PublishedSnapshot, publishSnapshot } from "./gateway-snapshots.ts";
import { issueToken } from "./gateway-tokens.ts";
import { sized } from "./quick-pass.ts";

/**
 * A gateway over a store that the test can break, with a snapshot of the tenants `acme` and `globex` in it.
 */
export type BrokenStoreGateway = Awaited<ReturnType<typeof startBrokenStoreGateway>>;

export async function startBrokenStoreGateway(
  env: Readonly<Record<string, string>> = {},
  options: Pick<FixtureOptions, "clocks"> = {},
) {
  const tokens = {
    acme: issueToken("acme", { rateLimit: 1_000_000 }),
    globex: issueToken("globex", { rateLimit: 1_000_000 }),
  };
  let seen: FaultyStore | undefined;
  let first: PublishedSnapshot | undefined;
  const gateway = await startGateway({
    ...options,
    env,
    async fill(store, file) {
      await file.write(Object.values(tokens));
      first = await publishSnapshot(store, "acme", { programIds: ["p1", "p2"], mark: "first" });
      await publishSnapshot(store, "globex", { programIds: ["g1"], mark: "globex" });
    },
    seen(store) {
      seen = faultyStore(store);
      return seen;
    },
    seenTokens: (store) => store,
  });
  if (seen === undefined || first === undefined) throw new Error("the gateway did not start");
  const { client } = gateway;
  return {
    gateway,
    client,
    seen,
    first,
    token: tokens.acme.plaintext,
    list: (tenant: "acme" | "globex" = "acme") => client.get("/v1/programs", tokens[tenant].plaintext),
    detail: (id: string) => client.get(`/v1/programs/${id}`, tokens.acme.plaintext),
    publish: (generation: number, mark: string, programIds: readonly string[] = ["p1", "p3"]) =>
      publishSnapshot(gateway.store, "acme", { programIds, generation, mark }),
    /** Whether a cause that contains the text was logged. */
    hasLogged: (text: string) => gateway.log.some(({ cause }) => String(cause).includes(text)),
    close: () => gateway.close(),
  };
}

/** What a document can suffer at the store, as the end of a sentence that begins with the document. */
export const storeFaults = fewer(2, [
  ["is missing", missing],
  ["cannot be read", unavailable],
  ["may not be read", denied],
  ["is empty", replacedBy("")],
  ["is no JSON", replacedBy("{")],
  ["is truncated", endedAfter(40)],
  ["breaks off with an error", brokenAfter(40)],
]);

/** What a call may take of a store that never answers: three tries of this and a second. */
const impatient = { STORE_TIMEOUT_MS: "300" };

/** The same, of a store that answers too late or never. */
export const stallFaults = fewer(1, [
  ["never answers", stalled, impatient],
  ["never answers, and its driver never lets go", stuck, impatient],
  ["stalls within its body", stalledAfter(40), impatient],
]);

export const hasMark =
  (mark: string) =>
  (answer: Answer): boolean =>
    answer.body.includes(mark);

/** `env`: what the gateway has to be set to, to notice it soon. */
export type NamedFault = readonly [name: string, fault: Fault, env?: Readonly<Record<string, string>>];

/** Each fault is a gateway and a wait of seconds: the quick pass takes the first `count` ones. */
function fewer(count: number, faults: readonly NamedFault[]): readonly NamedFault[] {
  return sized({ whole: faults, quick: faults.slice(0, count) });
}
