import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test as plainTest } from "vitest";
import type { SyncResult } from "../../../docs/client/programs-client.ts";
import { copyCases, type ExpectedCopy } from "../../support/copy-cases.ts";
import { forEachTest } from "../../support/lasting.ts";
import { pollingClients } from "../../support/polling-clients.ts";
import { startScriptedApi } from "../../support/scripted-api.ts";

const stage = forEachTest(async () => {
  const directory = await mkdtemp(join(tmpdir(), "partner-copy-"));
  const api = await startScriptedApi();
  const close = async (): Promise<void> => {
    await api.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { api, state: join(directory, "programs.json"), close };
});

describe.each(pollingClients)("the copy by the client in %s", (_language, create, isThere) => {
  const cases = copyCases.map(({ title, polls }) => [title, polls] as const);
  plainTest.skipIf(!isThere).each(cases)("%s", async (_title, polls) => {
    for (const [at, { script, token = "ppr_any", maxAttempts = 1, throws, ...expected }] of polls.entries()) {
      stage.api.follow(script);
      const given = { baseUrl: stage.api.url, token, state: stage.state };
      const poll = create({ ...given, refreshPerPoll: 10, maxAttempts }).sync();
      const outcome = throws === undefined ? seen(await poll) : await poll.catch(String);
      const paths = stage.api.seen.length;
      const wanted =
        throws === undefined ? { failed: [], told: "", left: 0, ...expected } : expect.stringMatching(throws);
      expect([`poll ${at + 1}`, outcome, paths]).toEqual([`poll ${at + 1}`, wanted, expected.requests]);
    }
  });
});

/** What a poll brought, as the table has it. */
function seen(result: SyncResult) {
  const { programs, added, changed, removed, failed, requests, detailsLeft: left } = result;
  const copy: ExpectedCopy = Object.fromEntries(
    [...programs].map(([id, { item, detail }]) => {
      const { text } = Object(detail) as { text?: string };
      return [id, [item.name, text ?? null]];
    }),
  );
  const signed = [
    ...added.map((id) => `+${id}`),
    ...changed.map((id) => `~${id}`),
    ...removed.map((id) => `-${id}`),
  ];
  return { copy, told: signed.sort().join(" "), failed: [...failed.keys()].sort(), requests, left };
}
