import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";
import { shownValue } from "../../publish/public-program/problem.ts";
import { shownId } from "../../publish/public-program/shown-id.ts";
import type { ProgramView } from "../../publish/source/contract.ts";
import { programViews, viewQuery } from "../../publish/source/program-queries.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { advice, maxExamples, viewProblem } from "./view-problem.ts";

/** The views that fail for a tenant that could not be read, found by reading all of its rows in each of them alone. */
export async function unreadableViews(
  client: SourceClient,
  tenantId: TenantId,
): Promise<readonly SourceProblem[]> {
  const found: SourceProblem[] = [];
  for (const view of programViews) {
    const reading = await tryReading(client, () => client.query(viewQuery(view), [tenantId]));
    if (!("error" in reading)) continue;
    const programId = await failingProgram(client, tenantId, view);
    found.push(unreadableView(view, reading.error, { tenantId, programId }));
  }
  return found;
}

/** Tenants that could not be read although each view by itself gives their rows. */
export function unreadableTenants(errors: ReadonlyMap<TenantId, Error>): readonly SourceProblem[] {
  const [first] = errors;
  if (first === undefined) return [];
  const message = `Reading the tenant ${first[0]} fails: ${first[1].message}`;
  const fix =
    "correct the views so that a condition on tenant_id gives the rows of that tenant and no others";
  const examples = [...errors].slice(0, maxExamples).map(([tenantId, error]) => ({
    tenantId,
    programId: null,
    value: shownValue(error.message),
  }));
  return [{ ...unreadable(null, message, fix), count: errors.size, examples }];
}

/** `place`: the tenant whose rows could not be read, and its first program at which the view fails, where that is known. */
export function unreadableView(
  view: string,
  error: Error,
  place: { readonly tenantId?: TenantId; readonly programId?: string | undefined } = {},
): SourceProblem {
  const { tenantId, programId } = place;
  const where = programId === undefined ? "" : `, at the program ${shownId(programId)},`;
  const whose = tenantId === undefined ? "" : ` for the tenant ${tenantId}${where}`;
  const query =
    tenantId === undefined
      ? `SELECT * FROM partner_source.${view}`
      : `SELECT * FROM partner_source.${view} WHERE tenant_id = '${tenantId}'`;
  const message = `Reading partner_source.${view}${whose} fails: ${error.message}`;
  // A view reads its tables with its owner's rights, a security_invoker view with those of whoever asks.
  const fix = hasSqlState(error, "42501")
    ? `GRANT what is denied to the view's owner, or, of a security_invoker view, to the connected role; ${query} tells whether it suffices`
    : `run ${query} and correct the view`;
  const problem = unreadable(view, message, fix);
  if (tenantId === undefined || programId === undefined) return problem;
  return { ...problem, count: 1, examples: [{ tenantId, programId, value: shownValue(error.message) }] };
}

function unreadable(view: string | null, message: string, fix: string): SourceProblem {
  const code = view === null ? "tenant_unreadable" : "view_unreadable";
  return viewProblem(code, "error", view, `${message}.`.replace(/\.\.$/, "."), advice(fix));
}

/**
 * P133: the id of the first program at whose rows a view fails, by halving: the rows before an id can be read or not. No list of ids is
 * needed, which such a view may refuse as well. The id is found a character at a time. `undefined` when the comparison of ids does not keep
 * PostgreSQL from the failing row (an aggregate below the view, for instance), or when the id is not of printable ASCII.
 */
async function failingProgram(
  client: SourceClient,
  tenantId: TenantId,
  view: ProgramView,
): Promise<string | undefined> {
  const query = viewQuery(view, true);
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
