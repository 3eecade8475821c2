import { randomBytes } from "node:crypto";
import { parseProgramId, parseTenantId, snapshotId } from "../../core/ids.ts";
import type { ResponseEntry } from "../../core/manifest.ts";
import { bytesBody } from "../../core/object-body.ts";
import { type ResponseName, responseKey } from "../../core/object-key.ts";
import { ProgramTable } from "../../core/program-table.ts";
import { publishManifest } from "./gateway-snapshots.ts";
import { type StoreTools, toolsTenant } from "./store-tools.ts";

/** The responses of a snapshot as JSON values, to be bent. */
export interface Responses {
  list: Json;
  legacy: Json;
  details: Record<string, Json>;
}

// biome-ignore lint/suspicious/noExplicitAny: what a test makes of a response is of no type on purpose
type Json = any;

/**
 * Publishes a copy of the live snapshot that `bend` has changed, with a manifest that vouches for exactly these bytes: what
 * a defect of the generator would leave, since no digest gives it away.
 */
export async function forgeSnapshot(tools: StoreTools, bend: (responses: Responses) => void): Promise<void> {
  const tenantId = parseTenantId(toolsTenant);
  const { generation, snapshotId: live } = await tools.current();
  const read = async (name: ResponseName): Promise<Json> =>
    JSON.parse((await tools.read(responseKey(tenantId, live, name))).toString());
  const list = await read({ kind: "list" });
  const responses: Responses = { list, legacy: await read({ kind: "legacy" }), details: {} };
  for (const { id } of list.data) {
    responses.details[id] = await read({ kind: "detail", programId: parseProgramId(id) });
  }
  bend(responses);

  const id = snapshotId(new Date(), randomBytes(4));
  const put = async (name: ResponseName, value: Json): Promise<ResponseEntry> => {
    const body = bytesBody(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
    const key = responseKey(tenantId, id, name);
    await tools.store.put(key, body);
    return { key, sha256: body.sha256, size: body.size };
  };
  const programs = new ProgramTable();
  for (const [text, value] of Object.entries(responses.details)) {
    const programId = parseProgramId(text);
    const { sha256, size } = await put({ kind: "detail", programId }, value);
    programs.add(programId, { snapshotId: id, sha256, size });
  }
  await publishManifest(tools.store, {
    tenantId,
    generation: generation + 1,
    snapshotId: id,
    parent: live,
    generatedAt: new Date().toISOString(),
    contract: "c0".repeat(32),
    list: await put({ kind: "list" }, responses.list),
    legacy: await put({ kind: "legacy" }, responses.legacy),
    programs,
  });
}
