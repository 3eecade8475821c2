import { snapshotId } from "../../../core/ids.ts";
import { lineFrom } from "../../../core/manifest.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { listBodies, readListed } from "../content/lists.ts";
import { nextGeneration } from "../snapshot/commit.ts";
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
