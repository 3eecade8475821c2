import { unlessFailed } from "../../../core/failure.ts";
import { snapshotId } from "../../../core/ids.ts";
import { lineFrom, type Manifest } from "../../../core/manifest.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { listBodies, readListed } from "../content/lists.ts";
import { nextGeneration } from "../snapshot/commit.ts";
import { readLiveManifest } from "../snapshot/live-snapshot.ts";
import type { Attempt, Live } from "./build-context.ts";
import { publishManifest } from "./publish.ts";
import { createResponseWriter } from "./response-writer.ts";

/**
 * P20: publishes the live content without these programs, although the rest of a build is blocked or could not be read. The other
 * programs stay as they are live, whatever the source says of them now. Returns what is live afterwards. Throws `corrupt_document`
 * when the live lists are damaged.
 */
export async function withdraw(
  attempt: Attempt,
  live: Live,
  withdrawn: ReadonlySet<string>,
): Promise<Live | "superseded"> {
  const { tenantId, context, options, readAt } = attempt;
  const { manifest } = live;
  if (options.dryRun || manifest === undefined) return live;
  if (![...withdrawn].some((id) => manifest.programs.has(id))) return live;
  const programs = new ProgramTable();
  for (const id of manifest.programs.ids()) {
    const record = manifest.programs.get(id);
    if (record !== undefined && !withdrawn.has(id)) programs.add(id, record);
  }
  const listed = await readListed(context.store, manifest, options.rules.legacyCapacity, context.signal);
  const bodies = listBodies(listed.filter(({ programId }) => !withdrawn.has(programId)));
  const newId = snapshotId(readAt, context.randomBytes(4));
  const writer = createResponseWriter({ ...context, tenantId, snapshotId: newId });
  const list = await writer.put({ kind: "list" }, bodies.list);
  const legacy = await writer.put({ kind: "legacy" }, bodies.legacy);
  await writer.settled();
  return await publishManifest(attempt, {
    ...manifest,
    generation: nextGeneration(live.current, context.now()),
    snapshotId: newId,
    parent: manifest.snapshotId,
    ancestors: lineFrom(manifest),
    generatedAt: readAt.toISOString(),
    contentAt: manifest.contentAt ?? manifest.generatedAt,
    programs,
    list,
    legacy,
  });
}

/**
 * P130: withdraws what the source states as withdrawn, after a reading that failed. This needs the ids and states of the tenant's
 * programs only, so no other view keeps it from arriving. `undefined` when nothing is live.
 */
export async function withdrawStated(
  attempt: Attempt,
): Promise<{ readonly live: Live; readonly withdrawn: ReadonlySet<string> } | "superseded" | undefined> {
  const { tenantId, context, pointer } = attempt;
  if (pointer === undefined) return undefined;
  const reading = readLiveManifest(context.store, pointer.current, context.signal);
  const manifest: Manifest | undefined = await unlessFailed(reading, "corrupt_document");
  const live = { current: pointer.current, manifest };
  if (manifest === undefined || manifest.programs.count === 0) return { live, withdrawn: new Set() };
  const stated = await context.withRows(tenantId, (rows) => rows.withdrawn(manifest.programs));
  const withdrawn = new Set(stated);
  const left = await withdraw(attempt, live, withdrawn);
  return left === "superseded" ? left : { live: left, withdrawn };
}
