import { asFailure } from "../../../core/failure.ts";
import type { SnapshotId } from "../../../core/ids.ts";
import { detailEntry, type Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readStoreIdentity } from "../../../core/open-store.ts";
import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { isProgramListResponse } from "../../../schemas/generated/validators-published.ts";
import type { ProgramPast } from "../../operate/snapshots/program-history.ts";
import { dataOf, type LiveReading, responseBytes } from "../../publish/snapshot/stored-snapshot.ts";
import type { SupportContext } from "./asked-database.ts";

export type ProgramInStore =
  /** Nothing was ever published for the tenant. `isStore`: whether that place was ever used as a store (W160). */
  | { readonly kind: "unpublished"; readonly store: string; readonly isStore: boolean }
  /** The tenant's pointer, its manifest or the program's own file cannot be trusted. */
  | { readonly kind: "damaged"; readonly reason: string }
  | {
      readonly kind: "live";
      readonly snapshotId: SnapshotId;
      readonly programs: number;
      /** `null`: the live snapshot does not have the program. */
      readonly served: ServedProgram | null;
      /** The id of a program in the live snapshot that is nearly this one; `null` when the snapshot has the program itself. */
      readonly near: string | null;
      /** Why the live snapshot lacks the program; `null` when it has it. */
      readonly past: ProgramPast | null;
    };

export interface ServedProgram {
  readonly document: unknown;
  readonly sha256: string;
  readonly key: string;
  /** The snapshot whose build wrote these bytes. */
  readonly builtBy: SnapshotId | null;
}

export async function readProgramInStore(
  { store, reader, signal }: SupportContext,
  reading: LiveReading<Manifest>,
  programId: string,
): Promise<ProgramInStore> {
  if (reading.kind === "none") {
    const isStore = (await readStoreIdentity(store, { signal })) !== undefined;
    return { kind: "unpublished", store: store.address, isStore };
  }
  if (reading.kind === "damaged") return { kind: "damaged", reason: reading.reason };
  const { pointer, content: manifest } = reading;
  const { snapshotId, programs } = manifest;
  const found = { kind: "live", snapshotId, programs: programs.count } as const;
  const entry = detailEntry(manifest, programId);
  if (entry === undefined) {
    const history = await import("../../operate/snapshots/program-history.ts");
    const { nearestName } = await import("../../output/words.ts");
    const past =
      (await history.removedByLastBuild(store, { pointer, manifest }, programId, signal)) ??
      history.programPast(await history.readProgramVersions(store, pointer, programId, signal), {
        snapshotId,
        at: reader.now,
      });
    return { ...found, served: null, near: nearestName(programId, programs.ids()) ?? null, past };
  }
  const { sha256, key } = entry;
  try {
    const document = dataOf(await responseBytes(store, entry, signal), key);
    const builtBy = programs.get(programId)?.snapshotId ?? null;
    return { ...found, served: { document, sha256, key, builtBy }, near: null, past: null };
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code !== "corrupt_document") throw error;
    return { kind: "damaged", reason: message };
  }
}

/** The programs of a snapshot's list, in its order. Throws `corrupt_document`. */
export async function storedPrograms(
  store: ObjectStore,
  { list }: Manifest,
  signal: AbortSignal,
): Promise<readonly ProgramListItem[]> {
  const response = JSON.parse((await responseBytes(store, list, signal)).toString("utf8"));
  return isProgramListResponse(response) ? response.data : [];
}
