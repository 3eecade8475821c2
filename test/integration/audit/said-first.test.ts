import { setMaxListeners } from "node:events";
import { createServer } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { buildCanned } from "../../support/canned-source.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { openServer } from "../../support/open-server.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";

/**
 * Commands that are interrupted, or whose store breaks, right after the write that made their change true.
 */

const server = forAllTests(startS3Server);
withAwsEnvironment(() => server.env);
/** A database that accepts connections and never says anything. */
const silent = forAllTests(() => openServer(createServer(() => {})));

async function run(args: readonly string[], signal?: AbortSignal): Promise<CommandResult> {
  if (signal !== undefined) setMaxListeners(0, signal);
  // Only the command that is interrupted waits for the database.
  const port = signal === undefined ? 1 : silent.port;
  const env = {
    ...server.env,
    STORE_URL: `s3://${testBucket}`,
    DATABASE_URL: `postgresql://reader@127.0.0.1:${port}/bookings`,
    LOG_LEVEL: "silent",
  };
  return await runCommand(args, signal === undefined ? { env } : { env, signal });
}

beforeEach(async () => {
  server.reset();
  const store = server.openStore();
  const at = Date.now();
  for (const [age, name] of [
    [3, "A"],
    [2, "B"],
  ] as const) {
    const now = (): Date => new Date(at - age * 60_000);
    await buildCanned(store, "acme", [{ programId: "KYOTO-1", name }], { now });
  }
  await buildCanned(store, "acme-tours", [{ programId: "KYOTO-1", name: "A" }]);
  await store.close();
});

async function tokenId(): Promise<string> {
  return JSON.parse((await run(["token", "create", "--tenant", "acme", "--json"])).stdout).tokenId;
}

const rolledBack = ["snapshot", "rollback", "--tenant", "acme"];

interface Case {
  /** Run before. */
  readonly first?: readonly (readonly string[])[];
  readonly args: (id: string) => readonly string[];
  /** The request that makes the change: the last letters of its key, and which of those requests it is. */
  readonly decisive: { readonly operation?: string; readonly keyEnd: string };
  readonly said: RegExp;
  /** Whether nothing is left to be done after that write, so that an interruption is none. */
  readonly isWhole: boolean;
}

const registry = { keyEnd: "auth/tokens.json" };
const pointer = { keyEnd: "/current.json" };
const away = ["--without-source"];
const cases: Readonly<Record<string, Case>> = {
  "snapshot rollback": { args: () => rolledBack, decisive: pointer, said: /is live again/, isWhole: true },
  "snapshot rollback --json": {
    args: () => [...rolledBack, "--json"],
    decisive: pointer,
    said: /"outcome": "rolled-back"/,
    isWhole: true,
  },
  "snapshot release": {
    first: [rolledBack],
    args: () => ["snapshot", "release", "--tenant", "acme"],
    decisive: pointer,
    said: /is released/,
    isWhole: true,
  },
  "snapshot prune": {
    args: () => ["snapshot", "prune", "--tenant", "acme", "--keep", "1", "--min-age", "0"],
    decisive: { operation: "DeleteObjects", keyEnd: "" },
    said: /acme: [1-9] object\(s\) deleted|^acme +failed +0 +0 +[1-9]/m,
    isWhole: false,
  },
  "tenant remove": {
    args: () => ["tenant", "remove", "acme", ...away],
    decisive: { keyEnd: "tenants/removed.json" },
    said: /acme removed/,
    isWhole: false,
  },
  "tenant remove --purge": {
    args: () => ["tenant", "remove", "acme", "--purge", ...away],
    decisive: registry,
    said: /acme removed with its objects; tok_\w+ revoked/,
    isWhole: false,
  },
  "tenant rename": {
    args: () => ["tenant", "rename", "acme", "acme-tours"],
    decisive: registry,
    said: /1 token of acme read acme-tours now/,
    isWhole: true,
  },
  "sandbox init": {
    args: () => ["sandbox", "init", ...away],
    decisive: registry,
    said: /^SANDBOX_TOKEN=ppr_/m,
    isWhole: true,
  },
  "sandbox init --remove": {
    first: [["sandbox", "init", ...away]],
    args: () => ["sandbox", "init", "--remove", ...away],
    decisive: registry,
    said: /sandbox removed with its objects; tok_\w+ revoked/,
    isWhole: false,
  },
  "token create": {
    args: () => ["token", "create", "--tenant", "acme"],
    decisive: registry,
    said: /^ppr_/m,
    isWhole: true,
  },
  "token rotate": {
    args: (id) => ["token", "rotate", id],
    decisive: registry,
    said: /^ppr_/m,
    isWhole: true,
  },
  "token expire": {
    args: (id) => ["token", "expire", id, "--at", "30d"],
    decisive: registry,
    said: /^Token tok_\w+ of tenant acme ends/m,
    isWhole: true,
  },
  "token revoke": {
    args: (id) => ["token", "revoke", id],
    decisive: registry,
    said: /^Revoked: tok_/m,
    isWhole: true,
  },
};

/** Runs the command, and does `then` as soon as the store has carried out its decisive request. */
async function runUntil({ first = [], args, decisive }: Case, signal: AbortSignal, then: () => void) {
  const id = await tokenId();
  for (const before of first) expect(await run(before)).toMatchObject({ status: 0 });
  let isDone = false;
  server.onRequest(({ operation, key, status }) => {
    if (isDone || status !== 200 || operation !== (decisive.operation ?? "PutObject")) return;
    if (!key.endsWith(decisive.keyEnd)) return;
    isDone = true;
    then();
  });
  const result = await run(args(id), signal);
  expect(isDone, "the decisive request was made").toBe(true);
  return { ...result, all: `${result.stdout}\n${result.stderr}` };
}

test.each(Object.entries(cases))(
  "P205 %s that is interrupted after its decisive write has said what it did",
  async (_, entry) => {
    const interruption = new AbortController();
    const { status, all } = await runUntil(entry, interruption.signal, () => interruption.abort());
    expect(all).toMatch(entry.said);
    expect(status).toBe(entry.isWhole ? 0 : 130);
  },
);

test.each(Object.entries(cases))(
  "P205 %s whose store breaks after its decisive write has said what it did",
  async (_, entry) => {
    const interruption = new AbortController();
    const { status, all } = await runUntil(entry, interruption.signal, () => {
      server.faults.add({ kind: "before", times: 1_000_000 });
    });
    expect(all).toMatch(entry.said);
    // Its record could not be completed, which is said last (P85).
    expect(status).toBe(1);
    expect(all).toMatch(/Do not repeat the command for that/);
  },
);
