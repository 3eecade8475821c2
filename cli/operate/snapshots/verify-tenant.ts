import { forEachBounded } from "../../../core/bounded-work.ts";
import { type Confirmations, readConfirmations } from "../../../core/confirmations.ts";
import { unlessFailed } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest, ResponseEntry } from "../../../core/manifest.ts";
import { piecesOf } from "../../../core/object-body.ts";
import { confirmedKey, currentKey, manifestKey, type ResponseName } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readEntry } from "../../../core/read-entry.ts";
import {
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { responsesOf } from "../../publish/snapshot/stored-snapshot.ts";
import { FindingLog, type TenantVerification } from "./verification.ts";
import { verifyLiveTree } from "./verify-live-tree.ts";

export interface VerifyContext {
  readonly store: ObjectStore;
  /** Whether builds keep a tree for people. */
  readonly isLiveTreeWanted: boolean;
  /** Tells a pointer that was lost from one that never was. */
  readonly confirmations: Confirmations;
  readonly signal: AbortSignal;
}

/** What builds have confirmed of each tenant; nothing when that is missing or damaged. */
export async function readConfirmed(store: ObjectStore, signal: AbortSignal): Promise<Confirmations> {
  const found = await store.get(confirmedKey, { signal });
  if (found.kind !== "object") return new Map();
  return (await unlessFailed(readConfirmations(piecesOf(found)), "corrupt_document")) ?? new Map();
}

const maxReadings = 3;

/**
 * Checks the pointer, the manifest, and every object of the live snapshot: digest, size and schema. Then the copies for people.
 * Throws only when the store does not answer or the run is interrupted; faults of the data are in the result.
 */
export async function verifyTenant(tenantId: TenantId, context: VerifyContext): Promise<TenantVerification> {
  for (let reading = 1; ; reading += 1) {
    const result = await verifyOnce(tenantId, context);
    if (result.outcome !== "findings" || reading === maxReadings) return result;
    // A snapshot that was replaced meanwhile may be deleted by a prune; that is no fault of the one that is live now.
    const now = await readPointer(context.store, tenantId, context.signal).catch(() => undefined);
    if (now === undefined || now.current.snapshotId === result.snapshotId) return result;
  }
}

async function verifyOnce(tenantId: TenantId, context: VerifyContext): Promise<TenantVerification> {
  const { store, isLiveTreeWanted, confirmations, signal } = context;
  const log = new FindingLog(tenantId);
  const nothing = { tenantId, snapshotId: null, generation: null, programs: null, objects: 0, bytes: 0 };
  const pointerKey = currentKey(tenantId);
  const pointer = await log.readable("pointer_damaged", pointerKey, readPointer(store, tenantId, signal));
  if (pointer === undefined) {
    const confirmed = confirmations.get(tenantId)?.snapshotId ?? null;
    if (confirmed === null) return { ...nothing, ...log.summary(), outcome: "unpublished" };
    log.add("pointer_missing", pointerKey, `it is missing, and snapshot ${confirmed} was live`);
  }
  if (pointer === undefined || pointer === "damaged") return { ...nothing, ...log.summary() };

  const { current } = pointer;
  const { snapshotId, generation } = current;
  const key = manifestKey(tenantId, snapshotId);
  const manifest = await log.readable("manifest_damaged", key, readLiveManifest(store, current, signal));
  if (manifest === "damaged") return { ...nothing, snapshotId, generation, ...log.summary() };
  if (manifest.generation > generation)
    log.add("manifest_damaged", key, `its generation ${manifest.generation} is above the pointer's`);
  const bytes = await verifyResponses(store, manifest, log, signal);
  await verifyLiveTree(store, current, manifest, isLiveTreeWanted, log, signal);
  const programs = manifest.programs.count;
  return { tenantId, snapshotId, generation, programs, objects: programs + 4, bytes, ...log.summary() };
}

/** Objects read side by side; each is in memory as a whole while it is looked at. */
const maxParallelReads = 16;

/** Returns how many bytes the responses have. */
async function verifyResponses(
  store: ObjectStore,
  manifest: Manifest,
  log: FindingLog,
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0;
  await forEachBounded(responsesOf(manifest), maxParallelReads, async ({ name, entry }) => {
    bytes += entry.size;
    const json = await readWhole(store, entry, log, signal);
    const fault = json === undefined ? undefined : schemaFault(name, json);
    if (fault !== undefined) log.add("response_invalid", entry.key, fault);
  });
  return bytes;
}

async function readWhole(
  store: ObjectStore,
  entry: ResponseEntry,
  log: FindingLog,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  const fault = await readEntry(store, entry, signal, (piece) => pieces.push(piece));
  if (fault === undefined) return Buffer.concat(pieces);
  log.add("object_damaged", entry.key, fault);
  return undefined;
}

function schemaFault(name: ResponseName, json: Buffer): string | undefined {
  const { what, isResponse } = responseSchemas[name.kind];
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(json));
  } catch {
    return `${what} is not JSON in UTF-8`;
  }
  const result = validate(isResponse, value);
  return result.valid ? undefined : `${what}: ${result.violation.message}`;
}

const responseSchemas: Readonly<
  Record<ResponseName["kind"], { readonly what: string; readonly isResponse: CompiledValidator<unknown> }>
> = {
  list: { what: "the list", isResponse: isProgramListResponse },
  legacy: { what: "the legacy list", isResponse: isLegacyProgramsResponse },
  detail: { what: "the detail", isResponse: isProgramDetailResponse },
};

const utf8 = new TextDecoder("utf-8", { fatal: true });
