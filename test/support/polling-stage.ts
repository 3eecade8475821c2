import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fate, type Front, startFront } from "./front.ts";
import { type GatewayFixture, startGateway, untilServed } from "./gateway-fixture.ts";
import { type PublishedSnapshot, publishSnapshot, type SnapshotContent } from "./gateway-snapshots.ts";
import { type IssuedToken, issueToken } from "./gateway-tokens.ts";

const stageTenant = "alpine-walks";
export const otherStageTenant = "coastal-walks";

/** A gateway with the programs of two companies, and a front before it that can spoil what passes. */
export interface PollingStage {
  readonly fixture: GatewayFixture;
  readonly front: Front;
  readonly directory: string;
  /** The file for the copy. */
  readonly state: string;
  /** Two tokens of the first company, and one of the other. */
  readonly token: IssuedToken;
  readonly secondToken: IssuedToken;
  readonly otherToken: IssuedToken;
  /** The token by which the stage itself asks. */
  readonly ownTokenId: string;
  /** What becomes of the requests from now on, counted from the first of all. */
  fate: (count: number, path: string) => Fate | Promise<Fate>;
  /** Resolves when the gateway serves it. */
  publish(
    programIds: readonly string[],
    fields?: SnapshotContent["fields"],
    tenant?: string,
  ): Promise<PublishedSnapshot>;
  close(): Promise<void>;
}

export async function openPollingStage(env: Readonly<Record<string, string>> = {}): Promise<PollingStage> {
  const directory = await mkdtemp(join(tmpdir(), "polling-stage-"));
  const [token, secondToken] = [issueToken(stageTenant), issueToken(stageTenant)];
  const otherToken = issueToken(otherStageTenant);
  const unlimited = { rateLimit: 1_000_000 };
  const [own, otherOwn] = [issueToken(stageTenant, unlimited), issueToken(otherStageTenant, unlimited)];
  const fixture = await startGateway({
    env: { SNAPSHOT_REFRESH_MS: "0", RATE_LIMIT_REQUESTS: "100000", ...env },
    fill: (_store, tokens) => tokens.write([token, secondToken, own, otherToken, otherOwn]),
  });
  let generation = 0;
  const lastOf = new Map<string, PublishedSnapshot>();
  const front = await startFront(fixture.api, (count, path) => stage.fate(count, path));
  const stage: PollingStage = {
    fixture,
    front,
    directory,
    state: join(directory, "state.json"),
    token,
    secondToken,
    otherToken,
    ownTokenId: own.entry.tokenId,
    fate: () => "passes",
    async publish(programIds, fields = () => ({}), tenant = stageTenant) {
      generation += 1;
      const content = { programIds, fields, generation, mark: "walk", after: lastOf.get(tenant) };
      const snapshot = await publishSnapshot(fixture.store, tenant, content);
      lastOf.set(tenant, snapshot);
      await untilServed(fixture, snapshot, tenant === stageTenant ? own : otherOwn);
      return snapshot;
    },
    async close() {
      await front.close();
      await fixture.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return stage;
}
