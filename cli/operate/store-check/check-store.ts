import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import {
  checkedKey,
  type ObjectKey,
  storeKey,
  tenantsPrefix,
  tokensKey,
} from "../../../core/ground/object-key.ts";
import { readStoreIdentity } from "../../../core/process/open-store.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/store/object-store.ts";
import {
  ProbeObjects,
  type ProbeOptions,
  probeBody,
  probesPrefix,
  probeText,
  readProbe,
  whatToDo,
} from "../../shell/conditional-writes.ts";
import { Checklist, type CheckResult, type StoreFinding } from "./checklist.ts";

/** The key of an object that cannot exist: a tenant's pointer, but no tenant's id begins with `~`. */
const missingKey = checkedKey(`${tenantsPrefix}~/current.json`);

export interface CheckOptions extends ProbeOptions {
  readonly now: () => Date;
  /** The folder of a `file:` store; `undefined` for S3. */
  readonly directory: string | undefined;
  /** Whether to try only what a gateway does with the store, which includes no writing. */
  readonly isReadOnly: boolean;
}

/**
 * Tries what the generator, the commands and gateways do with the store, on objects that it deletes again.
 * Faults of the store are findings. Only faults of the settings and an interruption are thrown.
 */
export async function checkStore(
  store: ObjectStore,
  options: CheckOptions,
): Promise<readonly StoreFinding[]> {
  const { signal, directory, isReadOnly } = options;
  const checks = new Checklist();
  const mayList = await checks.run("list", true, async () => {
    // A gateway's policy allows listing only keys that it reads, so the check lists such a key.
    for await (const _ of store.list(isReadOnly ? missingKey : probesPrefix, { signal })) break;
    return ["ok", "Allowed."];
  });
  await checks.run("missing", !checks.isAway, async () => {
    const found = await readProbe(store, missingKey, signal);
    if (found === undefined) return ["ok", "The store tells a missing object from a denied one."];
    const what = `There is something at ${missingKey}, which nobody wrote.`;
    return ["unsupported", `${what} Is the endpoint an S3 endpoint?`];
  });
  const canWrite = isReadOnly ? false : await checkWriting(store, options, checks, mayList);
  if (isReadOnly) {
    await checks.run("read", !checks.isAway, async () => {
      const found = await store.get(tokensKey, { signal });
      if (found.kind !== "object") return ["ok", `Allowed; there is no ${tokensKey} yet.`];
      found.body.destroy();
      return ["ok", `Allowed: ${tokensKey} is readable.`];
    });
  }
  // A store without an identity is no fault.
  await checks.run("identity", !checks.isAway, async () => {
    const found = await readStoreIdentity(store, { signal });
    if (found !== undefined) return ["ok", `${found.storeId}, since ${found.createdAt}.`];
    return ["ok", `There is no ${storeKey} yet: the first build or token command makes it.`];
  });
  if (directory !== undefined && !isReadOnly) {
    await checks.run("folder", canWrite, () => folderResult(directory));
  }
  return checks.findings;
}

/** Returns whether the store can be written to. */
async function checkWriting(
  store: ObjectStore,
  options: CheckOptions,
  checks: Checklist,
  mayList: boolean,
): Promise<boolean> {
  const { signal, now } = options;
  const objects = new ProbeObjects(options);
  const key = objects.key("plain.json");
  let isDeleted = false;
  try {
    const startedAt = now();
    const isWritten = await checks.run("write", !checks.isAway, async () => {
      await store.put(key, probeBody("plain"), { signal });
      return ["ok", "Allowed."];
    });
    const endedAt = now();
    let storedAt: Date | undefined;
    const isRead = await checks.run("read", isWritten, async () => {
      const found = await readProbe(store, key, signal);
      storedAt = found?.modifiedAt;
      if (found?.text === probeText("plain")) return ["ok", "The same bytes, at once."];
      return ["unsupported", "A read does not give what was just written. Use a strongly consistent store."];
    });
    await checks.run("revalidate", isRead, async () => {
      const found = await readProbe(store, key, signal);
      const again = await store.get(key, { signal, ifNoneMatch: found?.etag });
      if (again.kind === "not_modified") return ["ok", "If-None-Match is answered with 304."];
      if (again.kind === "object") again.body.destroy();
      const cost = "every gateway fetches the token registry whole, twice a second";
      return ["warning", `If-None-Match is ignored on reads: ${cost}.`];
    });
    await checks.run("list_after_write", isWritten && mayList, async () => {
      for await (const object of store.list(objects.prefix, { signal })) {
        if (object.key === key) return ["ok", "At once."];
      }
      return ["unsupported", "A listing lacks what was just written. Use a strongly consistent store."];
    });
    await checks.run("put_if_absent", isRead, () => raceConditions(store, objects, "absent", signal));
    await checks.run("put_if_match", isRead, () => raceConditions(store, objects, "match", signal));
    const writtenAt = storedAt ?? endedAt;
    await checks.run("clock", storedAt !== undefined, async () => clockResult(writtenAt, startedAt, endedAt));
    isDeleted = await checks.run("delete", isWritten, async () => {
      await store.delete([...objects.keys], { signal });
      if ((await readProbe(store, key, signal)) === undefined) return ["ok", "Allowed."];
      return ["unsupported", "A deleted object is still read. Use a strongly consistent store."];
    });
    return isWritten;
  } finally {
    // The check was interrupted, or may not delete. It cleans up without the signal, which may be aborted.
    if (!isDeleted && !checks.isAway) await store.delete([...objects.keys]).catch(() => {});
  }
}

/** S3 refuses requests whose signature is older or newer than this. */
const refusedMs = 15 * 60 * 1000;
/** A smaller difference is harmless, because the commands compare no ages as short as this. */
const harmlessMs = 30 * 1000;
/** S3 tells times in whole seconds. */
const precisionMs = 1000;

/** Compares the store's time of a write with this machine's times before and after the write. */
function clockResult(storedAt: Date, startedAt: Date, endedAt: Date): CheckResult {
  const aheadMs = Math.max(0, storedAt.getTime() - endedAt.getTime());
  const behindMs = Math.max(0, startedAt.getTime() - (storedAt.getTime() + precisionMs));
  const offMs = Math.max(aheadMs, behindMs);
  if (offMs <= harmlessMs) return ["ok", "The store's clock and this machine's agree."];
  const seconds = Math.round(offMs / 1000);
  const difference = `The store's clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} this machine's.`;
  const advice = "Synchronise the one that is wrong (NTP).";
  const refused = "S3 refuses what is signed more than 15 minutes off.";
  if (offMs > refusedMs) return ["failed", `${difference} ${refused} ${advice}`];
  const harm = "Ages of snapshots, and what a prune may delete, are off by as much.";
  return ["warning", `${difference} ${harm} ${advice}`];
}

/** Whether a `file:` store is closed to other accounts and without links, which no program follows. */
async function folderResult(directory: string): Promise<CheckResult> {
  const links = (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => join(directory, name));
  if (links.length > 0) {
    const text = `${links.join(" and ")}: a symbolic link below the store's folder is never followed.`;
    return ["failed", `${text} Remove it, or put what it points at in its place.`];
  }
  if (((await stat(directory)).mode & othersMode) !== 0) {
    return [
      "warning",
      `Every account of this machine may look into ${directory}. Run: chmod -R o= '${directory}' (a gateway under another account needs the folder's group then).`,
    ];
  }
  return ["ok", "For its owner and its group only, without links."];
}

const othersMode = 0o007;

/** So many races catch a store that decides conditions too early. They take 90 small requests. */
const rounds = 5;
const contenders = 8;

/** Whether just one of several simultaneous puts is stored. `match` builds on the round before. */
async function raceConditions(
  store: ObjectStore,
  objects: ProbeObjects,
  kind: PutCondition["kind"],
  signal: AbortSignal,
): Promise<CheckResult> {
  /**
   * Puts different bodies under one key at once, then reads the key, since answers may get lost, and some
   * stores answer losers with
   * 500. Returns the tag of the only body that was stored, or how many were stored. `name` distinguishes the
   *   bodies of this race from those of others. Throws the failure of a put when the store was away for all
   *   of them.
   */
  async function race(key: ObjectKey, condition: PutCondition, name: string): Promise<ETag | number> {
    const names = Array.from({ length: contenders }, (_, contender) => `${name} ${contender}`);
    const answers = await Promise.all(
      names.map(async (each) => {
        try {
          return (await store.put(key, probeBody(each), { condition, signal })).kind;
        } catch (error) {
          return asFailure(error);
        }
      }),
    );
    const failures = answers.filter((answer) => answer instanceof Failure);
    for (const failure of failures) if (failure.code !== "store_unavailable") throw failure;

    const stored = answers.filter((answer) => answer === "stored").length;
    if (stored > 1) return stored;
    const found = await readProbe(store, key, signal);
    const winner = names.findIndex((each) => probeText(each) === found?.text);
    if (found === undefined || winner === -1) {
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      return 0;
    }
    // The key holds the body of a put that was refused, so it has overwritten the one that was accepted.
    return stored === 1 && answers[winner] !== "stored" ? 2 : found.etag;
  }

  let etag: ETag | undefined;
  if (kind === "match") {
    const first = await store.put(objects.key("match.json"), probeBody("match"), { signal });
    if (first.kind !== "stored") {
      return ["unsupported", `${store.address}: a put without a condition was refused for its condition.`];
    }
    etag = first.etag;
  }
  for (let round = 0; round < rounds; round += 1) {
    const key = objects.key(etag === undefined ? `absent-${round}.json` : "match.json");
    const condition: PutCondition = etag === undefined ? { kind: "absent" } : { kind: "match", etag };
    const winner = await race(key, condition, `${kind}-${round}`);
    if (typeof winner === "number") return broken(kind, winner);
    if (etag !== undefined) etag = winner;
  }
  return sound;
}

const sound: CheckResult = ["ok", `${rounds} races of ${contenders}, each with one winner.`];

function broken(kind: PutCondition["kind"], stored: number): CheckResult {
  const header = kind === "absent" ? "If-None-Match: *" : "If-Match";
  const what =
    stored === 0
      ? "none was stored, though the condition held"
      : `${stored} were stored, where only one may be`;
  return ["unsupported", `Of ${contenders} puts at once with ${header} ${what}. ${whatToDo}`];
}
