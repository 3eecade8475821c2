import { snapshotId } from "../../../core/ids.ts";
import { lineFrom, type Manifest } from "../../../core/manifest.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { listBodies, readListElements } from "../content/list-form.ts";
import { readPointer } from "../snapshot/live-snapshot.ts";
import type { Attempt, Live } from "./attempt.ts";
import { followLive, publishManifest } from "./publish-content.ts";
import { createResponseWriter } from "./response-writer.ts";

export interface Withdrawal {
  readonly live: Live;
  readonly mayHaveLiveTree: boolean;
}

/**
 * P20: publishes the live content without these programs, although the rest of a build is blocked or not read yet. `undefined`:
 * none of them is live, or this is a dry run.
 */
export async function withdraw(
  attempt: Attempt,
  live: Live,
  withdrawn: ReadonlySet<string>,
): Promise<Withdrawal | "superseded" | undefined> {
  const { tenantId, context, options } = attempt;
  const { pointer, manifest } = live;
  if (pointer === undefined || manifest === undefined || options.dryRun) return undefined;
  const gone = new Set([...withdrawn].filter((id) => manifest.programs.has(id)));
  if (gone.size === 0) return undefined;
  const next = await withdrawalManifest(attempt, manifest, pointer.current.generation + 1, gone);
  const current = await publishManifest(attempt, pointer, next);
  if (current === "superseded") return current;
  const mayHaveLiveTree = await followLive(attempt, current, [manifest, next]);
  const published = await readPointer(context.store, tenantId, context.signal);
  if (published?.current.nonce !== current.nonce) return "superseded";
  return { live: { pointer: published, manifest: next }, mayHaveLiveTree };
}

/**
 * Makes the manifest of the live snapshot without these programs, and stores its lists. The lists keep the live elements of the
 * other programs, whatever the source says of them now. Throws `corrupt_document` when the live lists are damaged.
 */
async function withdrawalManifest(
  { tenantId, context, readAt }: Attempt,
  live: Manifest,
  generation: number,
  withdrawn: ReadonlySet<string>,
): Promise<Manifest> {
  const programs = new ProgramTable();
  for (const id of live.programs.ids()) {
    const record = live.programs.get(id);
    if (record !== undefined && !withdrawn.has(id)) programs.add(id, record);
  }
  const elements = await readListElements(context.store, live, context.signal);
  const bodies = listBodies([...elements].filter(([id]) => !withdrawn.has(id)).map(([, left]) => left));
  const newId = snapshotId(readAt, context.randomBytes(4));
  const writer = createResponseWriter({ ...context, tenantId, snapshotId: newId });
  const list = await writer.put({ kind: "list" }, bodies.list);
  const legacy = await writer.put({ kind: "legacy" }, bodies.legacy);
  await writer.settled();
  return {
    ...live,
    generation,
    snapshotId: newId,
    parent: live.snapshotId,
    ancestors: lineFrom(live),
    generatedAt: readAt.toISOString(),
    contentAt: live.contentAt ?? live.generatedAt,
    programs,
    list,
    legacy,
  };
}
