import { readLiveManifest, readPointer } from "../../cli/publish/snapshot/stored-snapshot.ts";
import type { Current } from "../../core/documents/current.ts";
import { detailEntry, type Manifest, type ResponseEntry } from "../../core/documents/manifest.ts";
import { parseTenantId } from "../../core/ground/ids.ts";
import { readBody, sha256Hex } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import type {
  LegacyProgramsResponse,
  ProgramDetailResponse,
  ProgramListResponse,
} from "../../schemas/generated/types.ts";
import {
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../schemas/generated/validators-published.ts";
import { type CompiledValidator, validate } from "../../schemas/validate.ts";

/** What the partners of a tenant get, followed from the pointer as a gateway does. */
export interface PublishedSnapshot {
  readonly current: Current;
  readonly manifest: Manifest;
  readonly list: ProgramListResponse;
  readonly legacy: LegacyProgramsResponse;
  readonly details: ReadonlyMap<string, ProgramDetailResponse["data"]>;
  /** Name of each response → its bytes as text. */
  readonly bytes: ReadonlyMap<string, string>;
}

const never = new AbortController().signal;

/** The live snapshot; throws unless every response has its size and digest and fits its strict schema. */
export async function publishedSnapshot(store: ObjectStore, tenant: string): Promise<PublishedSnapshot> {
  const pointer = await readPointer(store, parseTenantId(tenant), never);
  if (pointer === undefined) throw new Error(`${tenant} has no snapshot`);
  const manifest = await readLiveManifest(store, pointer.current, never);
  const bytes = new Map<string, string>();

  async function read<Document>(
    name: string,
    entry: ResponseEntry | undefined,
    isValid: CompiledValidator<Document>,
  ): Promise<Document> {
    if (entry === undefined) throw new Error(`no entry for ${name}`);
    const found = await store.get(entry.key);
    if (found.kind !== "object") throw new Error(`${entry.key} is missing`);
    const body = await readBody(found, 2 ** 30, entry.key);
    if (body.length !== entry.size || sha256Hex(body) !== entry.sha256) {
      throw new Error(`${entry.key} is not what its manifest says`);
    }
    bytes.set(name, body.toString());
    const result = validate(isValid, JSON.parse(body.toString()));
    if (!result.valid) throw new Error(`${entry.key}: ${result.violation.message}`);
    return result.document;
  }

  const list = await read("list", manifest.list, isProgramListResponse);
  const legacy = await read("legacy", manifest.legacy, isLegacyProgramsResponse);
  const details = new Map<string, ProgramDetailResponse["data"]>();
  for (const id of manifest.programs.ids()) {
    details.set(id, (await read(id, detailEntry(manifest, id), isProgramDetailResponse)).data);
  }
  return { current: pointer.current, manifest, list, legacy, details, bytes };
}
