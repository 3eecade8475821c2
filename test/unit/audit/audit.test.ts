import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { editRegistry } from "../../../cli/change/access/edit-registry.ts";
import { issueToken } from "../../../cli/change/access/issue-token.ts";
import type { AuditChange } from "../../../cli/change/audit/audit.ts";
import { withAudit } from "../../../cli/change/audit/recorded-change.ts";
import { readAudit } from "../../../cli/read/administration/read-audit.ts";
import { readRegistry } from "../../../cli/read/administration/read-registry.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { tokensKey } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { deathsIn } from "../../support/dying-store.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { quietShell } from "../../support/quiet-shell.ts";

const tenantId = parseTenantId("acme");
const terms = { tenantId, name: "Website", scopes: ["programs.read"], expiresAt: null, rateLimit: null };
const request = { command: "token create", tenants: [tenantId], reason: "a new partner" };
const signal = new AbortController().signal;
const missing = { outcome: "missing", changes: [], changesOmitted: 0 };
const everything = { tenantId: undefined, since: undefined, limit: 100 };

const store = fileStoreForEachTest();

/** Issues a token as `token create` does. */
async function issue(on: ObjectStore, said: string[] = []): Promise<Failure | undefined> {
  const shell = quietShell(said);
  const { unrecorded } = await withAudit(shell, on, request, async (watched, audit) => {
    const { entry } = issueToken(terms, null, shell.now(), randomBytes);
    await editRegistry(watched, audit, (tokens) => [...tokens, entry]);
  });
  return unrecorded;
}

async function issued(): Promise<readonly string[]> {
  return (await readRegistry(store)).registry.tokens.map(({ tokenId }) => tokenId);
}

/** The store without one kind of write. */
function refusing(isRefused: (key: string) => boolean): ObjectStore {
  return {
    ...store,
    put: async (key, body, options) => {
      if (isRefused(key)) throw new Failure("store_unavailable", `no answer to ${key}`);
      return await store.put(key, body, options);
    },
  };
}

describe("the record of a change", () => {
  test("P85 at whatever call of the store the process dies: no change without a record, no record of done without a change", async () => {
    let died = 0;
    for await (const { what, dying } of deathsIn(issue, () => store, { atLeast: 4 })) {
      await rm(store.directory, { recursive: true, force: true });
      const failed = await issue(dying()).then(
        (unrecorded) => unrecorded !== undefined,
        () => true,
      );
      const [tokens, { records }] = [await issued(), await readAudit(store, everything, signal)];
      if (failed) died += 1;
      if (tokens.length > 0) expect(records, what).toHaveLength(1);
      if (records[0]?.outcome === "done") expect(tokens, what).toHaveLength(1);
      if (!failed) expect(records[0], what).toMatchObject({ outcome: "done" });
    }
    expect(died).toBeGreaterThanOrEqual(4);
  });

  test("P85 a change that failed is recorded as failed, not as done", async () => {
    await rejectionOf(issue(refusing((key) => key === tokensKey)));
    const { records } = await readAudit(store, everything, signal);
    expect(records).toMatchObject([
      { outcome: "failed", changes: [], failure: { code: "store_unavailable" }, reason: "a new partner" },
    ]);
  });

  test("P85 a change of which nobody could find out whether it was made is shown as begun, not as failed", async () => {
    let lost = 0;
    const unanswered: ObjectStore = {
      ...store,
      // The change arrives, its answer does not; and the look at what became of it fails once.
      put: async (key, body, options) => {
        const result = await store.put(key, body, options);
        if (key !== tokensKey) return result;
        lost += 1;
        throw new Failure("store_unavailable", "no answer");
      },
      get: async (key, options) => {
        if (key === tokensKey && lost === 1) {
          lost += 1;
          throw new Failure("store_unavailable", "no answer");
        }
        return await store.get(key, options);
      },
    };
    expect(await rejectionOf(issue(unanswered))).toMatchObject({ code: "store_unavailable" });
    const [tokenId] = await issued();
    expect(tokenId).toBeDefined();
    const { records } = await readAudit(store, everything, signal);
    expect(records).toMatchObject([{ outcome: "begun", changes: [{ tokenId, before: null }] }]);
  });

  test("P206 every tenant that a command changed finds its record, however many there were", async () => {
    const ids = Array.from({ length: 1201 }, (_, at) => parseTenantId(`tenant-${at}`));
    const changes = ids.map(
      (id): AuditChange => ({ kind: "deletion", tenantId: id, deletedSnapshots: 1, deletedObjects: 2 }),
    );
    const prune = { command: "snapshot prune", tenants: [], reason: undefined };
    await withAudit(quietShell(), store, prune, async (watched, audit) => {
      audit.plan(changes);
      await editRegistry(watched, audit, (tokens) => [...tokens]);
      audit.note(changes);
    });
    for (const id of [ids[0], ids[500], ids[1200]]) {
      const { records } = await readAudit(store, { ...everything, tenantId: id }, signal);
      expect(records).toMatchObject([{ outcome: "done", changesOmitted: 0 }]);
      expect(records[0]?.changes).toContainEqual(changes[ids.indexOf(id ?? tenantId)]);
    }
    expect((await readAudit(store, everything, signal)).records).toHaveLength(3);
  });
});

test.for([
  { scopes: 60, all: 500 },
  { scopes: 600, all: 500 },
])(
  "P206 a record of 500 tokens with $scopes scopes is one that its readers take, and counts what it leaves out",
  async ({ scopes: count, all }) => {
    const shell = quietShell([]);
    const scopes = Array.from({ length: count }, (_, at) => `scope-${at}-${"x".repeat(50)}`);
    const entries = Array.from({ length: all }, () =>
      issueToken({ ...terms, scopes }, null, shell.now(), randomBytes),
    );
    await withAudit(shell, store, request, async (watched, audit) => {
      await editRegistry(watched, audit, (tokens) => [...tokens, ...entries.map(({ entry }) => entry)]);
    });
    const { records, faults } = await readAudit(store, everything, signal);
    expect(faults).toEqual([]);
    const [{ outcome, changes, changesOmitted } = missing] = records;
    expect({ outcome, all: changes.length + changesOmitted }).toEqual({ outcome: "done", all });
    expect(changesOmitted > 0).toBe(count > 60);
  },
);
