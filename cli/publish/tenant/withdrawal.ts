import type { SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { listBodies, readListElements } from "../content/list-form.ts";
import type { ResponseWriter } from "./response-writer.ts";

export interface WithdrawalPlan {
  readonly live: Manifest;
  readonly withdrawn: ReadonlySet<string>;
  readonly generation: number;
  readonly snapshotId: SnapshotId;
  readonly generatedAt: string;
}

/**
 * P20: the live snapshot less the withdrawn programs, where the rest of a build may not be published. Its lists are the live
 * ones less their elements, whatever the source says by now. Throws `corrupt_document` when they are not what the manifest
 * vouches for. The bodies are written when this resolves.
 */
export async function withdrawalManifest(
  plan: WithdrawalPlan,
  store: ObjectStore,
  writer: ResponseWriter,
  signal: AbortSignal,
): Promise<Manifest> {
  const { live, withdrawn, generation, snapshotId, generatedAt } = plan;
  const programs = new ProgramTable();
  for (const id of live.programs.ids()) {
    const record = live.programs.get(id);
    if (record !== undefined && !withdrawn.has(id)) programs.add(id, record);
  }
  const elements = await readListElements(store, live, signal);
  const bodies = listBodies([...elements].filter(([id]) => !withdrawn.has(id)).map(([, left]) => left));
  const list = await writer.put({ kind: "list" }, bodies.list);
  const legacy = await writer.put({ kind: "legacy" }, bodies.legacy);
  await writer.settled();
  return {
    ...live,
    generation,
    snapshotId,
    parent: live.snapshotId,
    generatedAt,
    contentAt: live.contentAt ?? live.generatedAt,
    programs,
    list,
    legacy,
  };
}
