import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import type { ProgramView } from "../../publish/source/contract.ts";
import type { SourceLimits } from "../../publish/source/source-limits.ts";
import { beforeProgram, programSumsQuery } from "../../publish/source/source-queries.ts";
import { tryReading } from "../../publish/source/try-reading.ts";

/**
 * P133: the id of the first program at whose rows a view fails, by halving: the rows before an id can be read or not. No list of ids is
 * needed, which such a view may refuse as well. The id is found a character at a time. `undefined` when the comparison of ids does not keep
 * PostgreSQL from the failing row (an aggregate below the view, for instance), or when the id is not of printable ASCII.
 */
export async function failingProgram(
  client: SourceClient,
  tenantId: TenantId,
  view: ProgramView,
  limits: SourceLimits,
): Promise<string | undefined> {
  const query = beforeProgram(programSumsQuery(limits, [view]));
  const deadline = performance.now() + maxSearchMs;
  const isReadBefore = async (id: string): Promise<boolean> => {
    const reading = await tryReading(client, () => client.query(query, [tenantId, id]));
    return "result" in reading;
  };
  let found = "";
  while (found.length < maxLength && performance.now() < deadline) {
    // The rows before `found` can be read. So this is the id when those up to it cannot.
    if (!(await isReadBefore(`${found}\u0001`))) return found === "" ? undefined : found;
    let [low, high] = [firstCharacter, endOfCharacters];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (await isReadBefore(found + String.fromCharCode(middle))) low = middle;
      else high = middle;
    }
    found += String.fromCharCode(low);
  }
  return undefined;
}

const maxSearchMs = 20_000;
const maxLength = 128;
const firstCharacter = 0x20;
const endOfCharacters = 0x7f;
