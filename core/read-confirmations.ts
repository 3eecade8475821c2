import { isConfirmedDocument } from "../schemas/generated/validators-stored.ts";
import { validate } from "../schemas/validate.ts";
import {
  type Confirmation,
  type Confirmations,
  checkedConfirmation,
  confirmedFormat,
  maxConfirmedBytes,
} from "./confirmations.ts";
import { Failure } from "./failure.ts";
import type { TenantId } from "./ids.ts";
import { createListReader } from "./list-reader.ts";
import { confirmedKey } from "./object-key.ts";
import { parseJson, parseStoredDocument, schemaFailure } from "./stored-document.ts";

/**
 * Reads `runs/confirmed.json` as it streams in, one chunk at a time, so that many tenants do not block the event loop. Throws
 * `corrupt_document` for what does not fit its schema or is larger than `maxConfirmedBytes`.
 */
export async function readConfirmations(body: AsyncIterable<Uint8Array>): Promise<Confirmations> {
  const reader = createListReader(confirmedKey, /"tenants"\s*:\s*[[{]$/);
  let found = new Map<TenantId, Confirmation>();
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxConfirmedBytes) {
      throw new Failure("corrupt_document", `${confirmedKey} is larger than ${maxConfirmedBytes} bytes.`);
    }
    for (const { json, isFirst } of reader.add(chunk)) {
      if (isFirst) found = new Map();
      addTenants(found, parseJson(json, confirmedKey));
    }
  }
  const around = parseStoredDocument(reader.end(), isConfirmedDocument, confirmedKey);
  addTenants(found, around.tenants);
  return found;
}

function addTenants(found: Map<TenantId, Confirmation>, tenants: unknown): void {
  const result = validate(isConfirmedDocument, { format: confirmedFormat, tenants });
  if (!result.valid) throw schemaFailure(confirmedKey, result.violation.message);
  for (const [tenantId, entry] of Object.entries(result.document.tenants)) {
    const [id, confirmation] = checkedConfirmation(tenantId, entry);
    found.set(id, confirmation);
  }
}
