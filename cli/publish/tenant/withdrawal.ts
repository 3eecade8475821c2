import type { SnapshotId } from "../../../core/ids.ts";
import type { Manifest, ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { entryFailure, readEntry } from "../../../core/read-entry.ts";
import { legacyEnds, listEnds } from "../content/list-form.ts";
import type { ResponseWriter } from "../content/response-writer.ts";
import { Spool } from "../content/spool.ts";
import { ElementSplitter } from "../snapshot/element-splitter.ts";

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
  using list = new Spool();
  using legacy = new Spool();
  /** In list order, which the legacy response shares. */
  const isWithdrawn: boolean[] = [];
  const listBody = await lessElements(store, live.list, listEnds(programs.count), list, signal, (json) => {
    isWithdrawn.push(withdrawn.has(idOf(json)));
    return isWithdrawn.at(-1) === false;
  });
  let at = -1;
  const legacyBody = await lessElements(store, live.legacy, legacyEnds, legacy, signal, () => {
    at += 1;
    return isWithdrawn[at] === false;
  });
  try {
    return {
      ...live,
      generation,
      snapshotId,
      parent: live.snapshotId,
      generatedAt,
      contentAt: live.contentAt ?? live.generatedAt,
      programs,
      list: await writer.put({ kind: "list" }, listBody),
      legacy: await writer.put({ kind: "legacy" }, legacyBody),
    };
  } finally {
    // The bodies may lie in the files of the spools.
    await writer.settled();
  }
}

/** The response with those elements only that `isWanted`. */
async function lessElements(
  store: ObjectStore,
  entry: ResponseEntry,
  [opening, closing]: readonly [string, string],
  target: Spool,
  signal: AbortSignal,
  isWanted: (json: Buffer) => boolean,
): Promise<ObjectBody> {
  target.append(opening);
  let separator = "";
  const splitter = new ElementSplitter((json) => {
    if (!isWanted(json)) return;
    target.append(separator);
    target.appendBytes(json);
    separator = ",";
  });
  const fault = await readEntry(store, entry, signal, (piece) => splitter.push(piece));
  if (fault !== undefined) throw entryFailure(entry, fault);
  target.append(closing);
  return target.finish();
}

function idOf(element: Buffer): string {
  return (JSON.parse(element.toString("utf8")) as { readonly id: string }).id;
}
