import { detailEntry, type Manifest } from "../../../core/documents/manifest.ts";
import { inRounds } from "../../../core/ground/bounded-work.ts";
import { Failure } from "../../../core/ground/failure.ts";
import type { ProgramId } from "../../../core/ground/ids.ts";
import { printable } from "../../../core/ground/printable.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { changeLines, programChanges } from "../../output/field-words.ts";
import type { Layout } from "../../output/layout.ts";
import { relativeAndExact } from "../../output/words.ts";
import { dataOf, responseBytes, type VouchedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { readStoredManifest } from "./manifest-head.ts";
import { readTenantSnapshots } from "./tenant-snapshots.ts";

/** Details read side by side. */
const maxParallelReads = 16;

/**
 * What partners see differently between two snapshots of one tenant, programs by id. Reads the details of at
 * most `maxDetails` of the programs that differ; the others have neither a name nor changes (`null`).
 */
export async function compareSnapshots(
  store: ObjectStore,
  from: Manifest,
  to: Manifest,
  maxDetails: number,
  signal: AbortSignal,
) {
  const before = new Set(from.programs.ids());
  const added: ProgramId[] = [];
  const changed: ProgramId[] = [];
  let unchanged = 0;
  for (const id of to.programs.ids()) {
    if (!before.delete(id)) added.push(id);
    else if (from.programs.get(id)?.sha256 === to.programs.get(id)?.sha256) unchanged += 1;
    else changed.push(id);
  }
  // What is left has no counterpart.
  const removed = [...before];
  const readable = new Set([...changed, ...added, ...removed].slice(0, maxDetails));
  const read = async (manifest: Manifest, id: ProgramId): Promise<unknown> =>
    readable.has(id) ? programData(store, manifest, id, signal) : undefined;
  return {
    from: side(from),
    to: side(to),
    added: await inRounds(added, maxParallelReads, async (id) => named(id, await read(to, id))),
    removed: await inRounds(removed, maxParallelReads, async (id) => named(id, await read(from, id))),
    changed: await inRounds(changed, maxParallelReads, async (id) => {
      const [old, young] = [await read(from, id), await read(to, id)];
      return { ...named(id, young), changes: readable.has(id) ? programChanges(old, young) : null };
    }),
    unchanged,
    // The list may say something else only by its order.
    listChanged: from.list.sha256 !== to.list.sha256,
    legacyChanged: from.legacy.sha256 !== to.legacy.sha256,
  };
}

/**
 * The snapshot that partners saw right before this one was last made live: after a rollback the one that it
 * took back, else the one that the build replaced. When that is not kept, the next older one. Throws
 * `not_found` when none is kept.
 */
export async function snapshotBefore(
  store: ObjectStore,
  manifest: Manifest,
  live: VouchedSnapshot,
  signal: AbortSignal,
): Promise<Manifest> {
  const { periods } = await readTenantSnapshots(store, live.pointer, signal);
  const own = periods.findIndex(({ snapshotId }) => snapshotId === manifest.snapshotId);
  const earlier = periods.slice(own + 1).map(({ snapshotId }) => snapshotId);
  for (const snapshotId of own === -1 ? [manifest.parent] : earlier) {
    if (snapshotId === null || snapshotId === manifest.snapshotId) continue;
    const stored = await readStoredManifest(store, manifest.tenantId, snapshotId, signal);
    if (stored !== undefined) return stored.manifest;
  }
  throw new Failure(
    "not_found",
    `No snapshot of tenant ${manifest.tenantId} from before ${manifest.snapshotId} is kept, so there is nothing to compare it with.`,
  );
}

/** The content of a program as partners see it. */
async function programData(
  store: ObjectStore,
  manifest: Manifest,
  id: ProgramId,
  signal: AbortSignal,
): Promise<unknown> {
  const entry = detailEntry(manifest, id);
  if (entry === undefined) throw new Failure("internal", `Program ${id} is in a manifest and has no entry.`);
  return dataOf(await responseBytes(store, entry, signal), entry.key);
}

function named(programId: ProgramId, data: unknown) {
  const hasName = typeof data === "object" && data !== null && "name" in data;
  return { programId, name: hasName ? String(data.name) : null };
}

/** `contentAt`: when the source was read for what partners see; earlier after a mere withdrawal. */
function side({ snapshotId, generatedAt, contentAt = generatedAt, programs }: Manifest) {
  return { snapshotId, generatedAt, contentAt, programs: programs.count };
}

/** A snapshot's difference to another: removed and added programs, then the changed ones field by field. */
export function diffText(diff: Awaited<ReturnType<typeof compareSnapshots>>, layout: Layout): string {
  const { style } = layout;
  const { added, removed, changed, unchanged } = diff;
  const sideText = ({ snapshotId, programs, contentAt }: ReturnType<typeof side>): string =>
    `${snapshotId}  ${programs} programs, data of ${relativeAndExact(contentAt, layout)}`;
  const title = ({ programId, name }: ReturnType<typeof named>): string =>
    name === null ? programId : `${programId}  ${style.bold(printable(name))}`;
  const differences = [
    ...removed.map((program) => `${style.bad("-")} ${title(program)}`),
    ...added.map((program) => `${style.good("+")} ${title(program)}`),
    ...changed.flatMap((program) => [
      `${style.doubtful("~")} ${title(program)}`,
      ...(program.changes?.flatMap((change) => changeLines(change, layout)) ?? [
        `    ${style.faint("(not compared; see --limit)")}`,
      ]),
    ]),
  ];
  const counts = `${removed.length} removed, ${added.length} added, ${changed.length} changed, ${unchanged} the same`;
  const isSame = differences.length === 0 && !diff.listChanged && !diff.legacyChanged;
  return [
    `from  ${sideText(diff.from)}`,
    `to    ${sideText(diff.to)}`,
    "",
    ...differences,
    ...(differences.length > 0 ? [""] : []),
    isSame ? `No difference: partners get the same bytes from both (${counts}).` : `${counts}.`,
    "",
  ].join("\n");
}
