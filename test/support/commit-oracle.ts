import type { TenantPrune } from "../../cli/change/snapshots/prune-tenant.ts";
import { type Current, parseCurrent } from "../../core/documents/current.ts";
import type { Failure } from "../../core/ground/failure.ts";
import { parseSnapshotId, type TenantId } from "../../core/ground/ids.ts";
import { currentKey, manifestKey } from "../../core/ground/object-key.ts";
import { sha256Hex } from "../../core/store/object-body.ts";
import type { TenantRun } from "../../schemas/generated/types.ts";
import type { ActorKind } from "./commit-world.ts";
import type { SimulatedStore } from "./simulated-store.ts";

/** Says what must always hold of one tenant; every method throws with the reason when it does not. */
export interface Oracle {
  /** After every step. */
  check(): void;
  /** When an actor ended; each gives the end in a few words. */
  built(name: string, run: TenantRun, versionRead: number): string;
  pruned(result: TenantPrune): string;
  failed(name: string, kind: ActorKind, failure: Failure): string;
  /** The pointers there have been, as far as they differ. */
  history(): readonly string[];
  /** The version of the source that the live snapshot shows, and whether it is held. */
  live(): { readonly version: number; readonly isHeld: boolean } | undefined;
}

interface Entry {
  readonly key: string;
  readonly sha256: string;
}

interface Manifest {
  readonly parent: string | null;
  readonly generation: number;
  readonly entries: readonly Entry[];
  readonly version: number;
}

/** What faults of the store, and nothing else, may make of an actor. */
const excusable: Readonly<Record<ActorKind, readonly string[]>> = {
  builder: ["store_unavailable", "superseded"],
  prune: ["store_unavailable", "superseded"],
  rollback: ["store_unavailable", "superseded", "not_found", "corrupt_document"],
  release: ["store_unavailable", "superseded"],
};

export function createOracle(store: SimulatedStore, tenantId: TenantId): Oracle {
  const key = currentKey(tenantId);
  const history: Current[] = [];
  const manifests = new Map<string, Manifest>();
  const violations: string[] = [];
  let lastTag: string | undefined;

  function must(holds: boolean, rule: string): void {
    if (!holds) throw new Error(`Broken: ${rule}`);
  }

  /** Read once, when it is first seen: manifests never change. */
  function manifestOf({ snapshotId }: { readonly snapshotId: string }): Manifest {
    const known = manifests.get(snapshotId);
    if (known !== undefined) return known;
    const bytes = store.objects.get(manifestKey(tenantId, parseSnapshotId(snapshotId)))?.bytes;
    if (bytes === undefined) throw new Error(`Broken: snapshot ${snapshotId} has a manifest`);
    const document = JSON.parse(bytes.toString());
    const programs = Object.values<Entry>(document.programs);
    const list = JSON.parse(store.objects.get(document.list.key)?.bytes.toString() ?? "null");
    const changing = list?.data.find(({ id }: { id: string }) => id === "changing");
    if (changing === undefined) throw new Error(`Broken: snapshot ${snapshotId} has its list`);
    const manifest = {
      parent: document.parent,
      generation: document.generation,
      entries: [document.list, document.legacy, ...programs],
      version: Number(changing.name.slice("Version ".length)),
    };
    manifests.set(snapshotId, manifest);
    return manifest;
  }

  function isComplete(current: Current): boolean {
    const bytes = store.objects.get(manifestKey(tenantId, current.snapshotId))?.bytes;
    if (bytes === undefined || sha256Hex(bytes) !== current.manifestSha256) return false;
    return manifestOf(current).entries.every((entry) => store.objects.get(entry.key)?.etag === entry.sha256);
  }

  function noteChange(before: Current | undefined, after: Current): void {
    if (before === undefined) return;
    must(after.generation >= before.generation, "a generation never falls");
    const manifest = manifestOf(after);
    const isPublication = after.generation > before.generation && after.generation === manifest.generation;
    if (isPublication) {
      must(after.generation > before.generation, "a publication raises the generation");
      must(
        manifest.parent === before.snapshotId,
        "no update is lost: a snapshot replaces the one that it was built on",
      );
      must(before.hold === null, "no build replaces a snapshot that is held");
      const newest = Math.max(...history.map((current) => manifestOf(current).version));
      must(manifest.version >= newest, "no builder with older data wins over one with newer data");
    } else if (after.generation > before.generation) {
      must(after.hold !== null, "a rollback holds the tenant");
      must(after.generation > before.generation, "a rollback raises the generation");
    } else {
      must(after.snapshotId === before.snapshotId, "one generation is one snapshot");
      must(after.publishedAt === before.publishedAt, "a prune and a release keep the time of publication");
      must(after.nonce !== before.nonce, "every write has a nonce of its own");
    }
  }

  return {
    check() {
      // An actor whose result was wrong has ended meanwhile.
      must(violations.length === 0, violations.join("; "));
      const stored = store.objects.get(key);
      if (stored === undefined) {
        must(lastTag === undefined, "a pointer never vanishes");
        return;
      }
      const current = parseCurrent(stored.bytes, tenantId);
      must(isComplete(current), "current.json points to a complete snapshot");
      if (stored.etag === lastTag) return;
      lastTag = stored.etag;
      noteChange(history.at(-1), current);
      history.push(current);
    },

    built(name, run, versionRead) {
      const { outcome, failure, snapshotId } = run;
      if (outcome === "published" || outcome === "unchanged") {
        const was = history.filter((current) => current.snapshotId === snapshotId);
        // The pointer may have been written in this very step.
        const now = parseCurrent(store.objects.get(key)?.bytes ?? Buffer.alloc(0), tenantId);
        if (was.length === 0 && now.snapshotId !== snapshotId)
          violations.push(`${name} reported ${outcome}, but its snapshot was never live`);
        const shown = manifests.get(String(snapshotId))?.version ?? manifestOf(now).version;
        if (shown !== versionRead)
          violations.push(
            `${name} reported ${outcome} and read version ${versionRead}, but partners got ${shown}`,
          );
      } else if (outcome === "failed") {
        if (!excusable.builder.includes(failure?.code ?? ""))
          violations.push(`${name} failed with ${failure?.code}: ${failure?.message}`);
      } else if (outcome !== "held") violations.push(`${name} ended with ${outcome}`);
      return failure === null ? outcome : `${outcome} ${failure.code}`;
    },

    pruned({ outcome, kept }) {
      for (const snapshotId of kept) {
        const missing = manifestOf({ snapshotId }).entries.filter((entry) => !store.objects.has(entry.key));
        if (missing.length > 0) violations.push(`the prune deleted ${missing[0]?.key} of a kept snapshot`);
      }
      return outcome;
    },

    failed(name, kind, { code, message }) {
      if (!excusable[kind].includes(code)) violations.push(`${name} failed with ${code}: ${message}`);
      return `failed ${code}`;
    },

    history: () => history.map(({ nonce }) => nonce),

    live() {
      const current = history.at(-1);
      return current && { version: manifestOf(current).version, isHeld: current.hold !== null };
    },
  };
}
