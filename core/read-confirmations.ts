import type { ConfirmedDocument } from "../schemas/generated/types.ts";
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
import { createLineReader } from "./line-reader.ts";
import { confirmedKey } from "./object-key.ts";
import { parseStoredDocument } from "./stored-document.ts";

/**
 * Reads `runs/confirmed.json` as it streams in. Throws `corrupt_document` for what does not fit its schema or is larger than
 * `maxConfirmedBytes`.
 *
 * The canonical form (`confirmationsBytes`) is parsed chunk by chunk, so that many tenants do not block the event loop. Any
 * other JSON of the same schema is read whole, and may be as large as its reader can afford.
 */
export async function readConfirmations(body: AsyncIterable<Uint8Array>): Promise<Confirmations> {
  const reader = createLineReader(confirmedKey);
  const found = new Map<TenantId, Confirmation>();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let head: string | undefined;
  /** Whether an entry must follow: behind a comma. */
  let isOpen = false;
  let isCanonical = true;

  function takeLines([first, ...others]: readonly string[]): void {
    if (first === undefined) return;
    const lines = head === undefined ? others : [first, ...others];
    head ??= first;
    if (lines.length === 0) return;
    const tenants = head === canonicalHead && (isOpen || found.size === 0) ? tenantsOf(lines) : undefined;
    if (tenants === undefined) {
      isCanonical = false;
      return;
    }
    for (const [tenantId, entry] of Object.entries(tenants)) {
      const [id, confirmation] = checkedConfirmation(tenantId, entry);
      found.set(id, confirmation);
    }
    isOpen = lines.at(-1)?.endsWith(",") === true;
  }

  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxConfirmedBytes) throw tooLarge(maxConfirmedBytes);
    if (isCanonical) takeLines(reader.add(chunk));
    // What turned out to be canonical so far is needed again only if it goes on otherwise.
    if (size <= maxWholeBytes) chunks.push(chunk);
    else if (!isCanonical) throw tooLarge(maxWholeBytes);
  }
  if (isCanonical && head === canonicalHead && !isOpen && reader.end() === "}}") return found;
  if (size > maxWholeBytes) throw tooLarge(maxWholeBytes);
  const whole = parseStoredDocument(Buffer.concat(chunks, size), isConfirmedDocument, confirmedKey);
  return new Map(Object.entries(whole.tenants).map(([id, entry]) => checkedConfirmation(id, entry)));
}

const canonicalHead = `{"format":"${confirmedFormat}","tenants":{`;
const maxWholeBytes = 1024 * 1024;

function tooLarge(maxBytes: number): Failure {
  return new Failure("corrupt_document", `${confirmedKey} is larger than ${maxBytes} bytes.`);
}

/** `undefined`: not what the canonical form has on such lines, or not of the schema. */
function tenantsOf(lines: readonly string[]): ConfirmedDocument["tenants"] | undefined {
  // With the line breaks: within a text they are no JSON.
  const text = lines.join("\n");
  let tenants: unknown;
  try {
    tenants = JSON.parse(`{${text.endsWith(",") ? text.slice(0, -1) : text}}`);
  } catch {
    return undefined;
  }
  const result = validate(isConfirmedDocument, { format: confirmedFormat, tenants });
  if (!result.valid || Object.keys(result.document.tenants).length === 0) return undefined;
  return result.document.tenants;
}
