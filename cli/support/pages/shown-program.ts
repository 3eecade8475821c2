import { Failure } from "../../../core/failure.ts";
import type { ProgramId, SnapshotId, TenantId } from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import { isProgramDetailResponse } from "../../../schemas/generated/validators-published.ts";
import { chosenSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { plainTime } from "../plain-time.ts";
import { readRemoved } from "../read-removed.ts";
import type { Inspection } from "./inspection.ts";
import type { ProgramPageView } from "./program-page.ts";
import { storedJson } from "./stored-json.ts";

/** A program as it is in the snapshot, or in the live one. Throws `not_found`. */
export async function shownProgram(
  { store, signal }: Inspection,
  tenantId: TenantId,
  programId: ProgramId,
  snapshotId: SnapshotId | undefined,
): Promise<ProgramPageView> {
  const { manifest, isLive } = await chosenSnapshot(store, tenantId, snapshotId, signal);
  const entry = detailEntry(manifest, programId);
  const { removed } = await readRemoved(store, signal);
  const removedAt = removed.get(tenantId)?.removedAt ?? null;
  if (entry === undefined) {
    const which = isLive ? "The live snapshot" : `Snapshot ${manifest.snapshotId}`;
    const partners = !isLive
      ? "while it was live, partners got 404 for it"
      : removedAt === null
        ? "partners get 404 for it"
        : `since the tenant was removed (${plainTime(removedAt)}), partners get 401 for everything`;
    throw new Failure("not_found", `${which} has no program ${programId}: ${partners}.`);
  }
  const document = await storedJson(store, entry, signal);
  const program = isProgramDetailResponse(document) ? document.data : null;
  return {
    tenantId,
    programId,
    snapshotId: manifest.snapshotId,
    generatedAt: manifest.generatedAt,
    isLive,
    removedAt,
    objectKey: entry.key,
    sha256: entry.sha256,
    document,
    program,
  };
}
