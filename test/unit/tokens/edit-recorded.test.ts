import { expect, test } from "vitest";
import { type EditTokens, editRegistry } from "../../../cli/change/access/edit-registry.ts";
import { activeToken, revoked, withEnd } from "../../../cli/change/access/issue-token.ts";
import { withAudit } from "../../../cli/change/audit/recorded-change.ts";
import { readAudit } from "../../../cli/read/administration/read-audit.ts";
import { readRegistry } from "../../../cli/read/administration/read-registry.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { deathsIn } from "../../support/dying-store.ts";
import { createTokenFile, issueToken } from "../../support/gateway-tokens.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { quietShell } from "../../support/quiet-shell.ts";

const [acme, other, bora] = [issueToken("acme"), issueToken("acme"), issueToken("bora")];
const now = new Date("2026-11-21T12:00:00.000Z");
const end = "2027-01-01T00:00:00.000Z";

/** What the commands of these names do to the tokens of a registry. */
const edits: Readonly<Record<string, EditTokens>> = {
  "token expire": (tokens) => withEnd(tokens, activeToken(tokens, acme.entry.tokenId, now), end),
  "token revoke": (tokens) => revoked(tokens, [acme.entry.tokenId, other.entry.tokenId], now),
};

const store = fileStoreForEachTest();

async function run(on: ObjectStore, command: string, edit: EditTokens): Promise<void> {
  const request = { command, tenants: [], reason: undefined };
  const { unrecorded } = await withAudit(quietShell(), on, request, (watched, audit) =>
    editRegistry(watched, audit, edit),
  );
  if (unrecorded !== undefined) throw unrecorded;
}

async function recorded(): Promise<number> {
  const everything = { tenantId: undefined, since: undefined, limit: 1000 };
  return (await readAudit(store, everything, new AbortController().signal)).records.length;
}

test.for(Object.entries(edits))(
  "P84 P85 %s: after a death at any call of the store all or nothing is done, never without a record, and another run does it",
  async ([command, edit]) => {
    const file = createTokenFile(store);
    const before = [acme, other, bora].map(({ entry }) => entry);
    const after = await edit(before);
    await file.write([acme, other, bora]);
    const whole = (on: ObjectStore) => run(on, command, edit);
    for await (const { what, dying } of deathsIn(whole, () => store, { atLeast: 4 })) {
      await file.write([acme, other, bora]);
      const records = await recorded();
      await run(dying(), command, edit).catch(() => {});
      const { tokens } = (await readRegistry(store)).registry;
      expect([before, after], what).toContainEqual(tokens);
      const isDone = JSON.stringify(tokens) === JSON.stringify(after);
      if (isDone) expect(await recorded(), what).toBe(records + 1);
      await run(store, command, edit);
      expect((await readRegistry(store)).registry.tokens, what).toEqual(after);
    }
  },
);
