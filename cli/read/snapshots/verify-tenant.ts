import { type Confirmations, readConfirmations } from "../../../core/documents/confirmations.ts";
import { type Manifest, readEntry } from "../../../core/documents/manifest.ts";
import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { unlessFailed } from "../../../core/ground/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ground/ids.ts";
import { confirmedKey, currentKey, manifestKey, type ResponseName } from "../../../core/ground/object-key.ts";
import { printable } from "../../../core/ground/printable.ts";
import { piecesOf } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { LegacyProgramsResponse, ProgramListResponse } from "../../../schemas/generated/types.ts";
import {
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { numbers, table } from "../../output/layout.ts";
import { counted, numberText } from "../../output/words.ts";
import { knownSandbox } from "../../publish/snapshot/sandbox-tenant.ts";
import {
  readLive,
  readLiveManifest,
  readPointer,
  responsesOf,
  type StoredResponse,
} from "../../publish/snapshot/stored-snapshot.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import { detailBegins, listFault } from "./snapshot-agreement.ts";
import { readTenantSnapshots, rollbackTargets } from "./tenant-snapshots.ts";

interface VerifyContext {
  readonly store: ObjectStore;
  /** Tells a pointer that was lost from one that never was. */
  readonly confirmations: Confirmations;
  readonly sandbox: TenantId | undefined;
  readonly signal: AbortSignal;
}

/** Verifies one tenant, or all: those with objects in the store, and those that a build has published. */
export async function verifyTenants(store: ObjectStore, tenant: TenantId | undefined, signal: AbortSignal) {
  const confirmations = await readConfirmed(store, signal);
  const context = { store, confirmations, sandbox: await knownSandbox(store, signal), signal };
  const tenantIds = new Set<TenantId>(tenant === undefined ? [] : [tenant]);
  if (tenant === undefined) {
    for await (const tenantId of storedTenants(store, signal)) tenantIds.add(tenantId);
    for (const [id, { snapshotId }] of confirmations) if (snapshotId !== null) tenantIds.add(id);
  }
  const results: TenantVerification[] = [];
  for (const tenantId of [...tenantIds].sort()) results.push(await verifyTenant(tenantId, context));
  return results;
}

/** What builds have confirmed of each tenant; nothing when that is missing or damaged. */
async function readConfirmed(store: ObjectStore, signal: AbortSignal): Promise<Confirmations> {
  const found = await store.get(confirmedKey, { signal });
  if (found.kind !== "object") return new Map();
  return (await unlessFailed(readConfirmations(piecesOf(found)), "corrupt_document")) ?? new Map();
}

const maxReadings = 3;

/**
 * Checks the pointer, the manifest, and every object of the live snapshot: digest, size and schema; and that
 * the lists say what the details say (P223). Throws only when the store does not answer or the run is
 * interrupted; faults of the data are in the result.
 */
export async function verifyTenant(tenantId: TenantId, context: VerifyContext): Promise<TenantVerification> {
  for (let reading = 1; ; reading += 1) {
    const result = await verifyOnce(tenantId, context);
    if (result.outcome !== "findings") return result;
    if (reading === maxReadings) return await withRollback(result, context);
    // A snapshot replaced meanwhile may be deleted by a prune: no fault of the one that is live now.
    const now = await readPointer(context.store, tenantId, context.signal).catch(() => undefined);
    if (now === undefined || now.current.snapshotId === result.snapshotId)
      return await withRollback(result, context);
  }
}

/** Offers a rollback where one mends the finding, and there is a snapshot to go back to. */
async function withRollback(
  result: TenantVerification,
  { store, sandbox, signal }: VerifyContext,
): Promise<TenantVerification> {
  const { tenantId } = result;
  const pointer = await readPointer(store, tenantId, signal).catch(() => undefined);
  if (pointer === undefined || sandbox === tenantId) return result;
  const { all, usual } = rollbackTargets(await readTenantSnapshots(store, pointer, signal), pointer.current);
  const [newest] = all;
  if (newest === undefined) return result;
  const to = usual === undefined ? ` --to ${newest.snapshotId}` : "";
  const orRollBack = ` Or make an earlier snapshot live: \`snapshot rollback --tenant ${tenantId}${to}\`.`;
  const findings = result.findings.map((finding) =>
    mendedByRollback.has(finding.code) ? { ...finding, remedy: finding.remedy + orRollBack } : finding,
  );
  return { ...result, findings };
}

const mendedByRollback: ReadonlySet<FindingCode> = new Set([
  "manifest_damaged",
  "object_damaged",
  "snapshot_disagrees",
]);

async function verifyOnce(
  tenantId: TenantId,
  { store, confirmations, sandbox, signal }: VerifyContext,
): Promise<TenantVerification> {
  const findings: TenantVerification["findings"][number][] = [];
  const add: AddFinding = (code, key, message) => {
    const remedy = findingRemedy(code, tenantId, sandbox === tenantId);
    findings.push({ code, key, message: message.replace(/\.$/, ""), remedy });
  };
  const result = (known: Partial<TenantVerification> = {}): TenantVerification => ({
    ...{ tenantId, snapshotId: null, generation: null, programs: null, objects: 0, bytes: 0, ...known },
    outcome: known.outcome ?? (findings.length === 0 ? "clean" : "findings"),
    findings: findings.slice(0, maxShown),
    findingsOmitted: Math.max(0, findings.length - maxShown),
  });
  const live = await readLive(store, tenantId, signal, (pointer) => readLiveManifest(store, pointer, signal));
  if (live.kind === "none") {
    const confirmed = confirmations.get(tenantId)?.snapshotId ?? null;
    if (confirmed === null) return result({ outcome: "unpublished" });
    add("pointer_missing", currentKey(tenantId), `it is missing, and snapshot ${confirmed} was live`);
    return result();
  }
  if (live.kind === "damaged") {
    const { snapshotId = null, generation = null } = live.pointer?.current ?? {};
    if (snapshotId === null) add("pointer_damaged", currentKey(tenantId), live.reason);
    else add("manifest_damaged", manifestKey(tenantId, snapshotId), live.reason);
    return result({ snapshotId, generation });
  }
  const { snapshotId, generation } = live.pointer.current;
  const manifest = live.content;
  if (manifest.generation > generation)
    add(
      "manifest_damaged",
      manifestKey(tenantId, snapshotId),
      `its generation ${manifest.generation} is above the pointer's`,
    );
  const bytes = await verifyResponses(store, manifest, add, signal);
  const programs = manifest.programs.count;
  return result({ snapshotId, generation, programs, objects: programs + 4, bytes });
}

/** Findings of one tenant that are shown; the rest are counted. */
const maxShown = 1000;

type AddFinding = (code: FindingCode, key: string, message: string) => void;

/** Objects read side by side; each is in memory as a whole while it is looked at. */
const maxParallelReads = 16;

/** Returns how many bytes the responses have. */
async function verifyResponses(
  store: ObjectStore,
  manifest: Manifest,
  add: AddFinding,
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0;
  /** The response as text and parsed, if nothing is wrong with it by itself. */
  const verify = async ({ name, entry }: StoredResponse) => {
    bytes += entry.size;
    const pieces: Buffer[] = [];
    const damage = await readEntry(store, entry, signal, (piece) => pieces.push(piece));
    if (damage !== undefined) return add("object_damaged", entry.key, damage);
    const read = readResponse(name, Buffer.concat(pieces));
    return "fault" in read ? add("response_invalid", entry.key, read.fault) : read;
  };
  const [listed, legacyListed, ...details] = responsesOf(manifest);
  if (listed === undefined || legacyListed === undefined) return bytes;
  const list = (await verify(listed))?.document as ProgramListResponse | undefined;
  const legacy = (await verify(legacyListed))?.document as LegacyProgramsResponse | undefined;
  const fault = list && legacy && listFault({ list, legacy }, manifest.programs);
  if (fault !== undefined) add("snapshot_disagrees", manifest.list.key, fault);
  const elements = new Map(list?.data.map((program) => [program.id, program]));
  await forEachBounded(details, maxParallelReads, async (stored) => {
    const detail = await verify(stored);
    const element = stored.name.kind === "detail" ? elements.get(stored.name.programId) : undefined;
    if (detail === undefined || element === undefined || detailBegins(detail.text, element)) return;
    add("snapshot_disagrees", stored.entry.key, "the list says something else of this program");
  });
  return bytes;
}

function readResponse(name: ResponseName, json: Buffer) {
  const [what, isResponse] = responseSchemas[name.kind];
  try {
    const text = utf8.decode(json);
    const result = validate(isResponse, JSON.parse(text));
    return result.valid
      ? { text, document: result.document }
      : { fault: `${what}: ${result.violation.message}` };
  } catch {
    return { fault: `${what} is not JSON in UTF-8` };
  }
}

const responseSchemas: Readonly<
  Record<ResponseName["kind"], [what: string, is: CompiledValidator<unknown>]>
> = {
  list: ["the list", isProgramListResponse],
  legacy: ["the legacy list", isLegacyProgramsResponse],
  detail: ["the detail", isProgramDetailResponse],
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** What `snapshot verify` found of one tenant. */
export interface TenantVerification {
  readonly tenantId: TenantId;
  /** `unpublished`: nothing was ever published, so partners get nothing and nothing can be wrong. */
  readonly outcome: "clean" | "findings" | "unpublished";
  readonly snapshotId: SnapshotId | null;
  readonly generation: number | null;
  readonly programs: number | null;
  /** Objects that the snapshot consists of, its manifest and the pointer counted; all were read. */
  readonly objects: number;
  readonly bytes: number;
  readonly findings: readonly Finding[];
  /** Findings beyond those in `findings`. */
  readonly findingsOmitted: number;
}

interface Finding {
  readonly code: FindingCode;
  /** The object it is about. */
  readonly key: string;
  /** What is wrong, in words, without a full stop. */
  readonly message: string;
  readonly remedy: string;
}

const beginAnew = "`snapshot build --tenant {tenant}`: it begins anew, above all that was published.";

/** What can be wrong with a live snapshot, and what an operator does about it. */
const findingRemedies = {
  pointer_missing: `Run ${beginAnew}`,
  pointer_damaged: `Remove it, then ${beginAnew} A hold of the tenant ends by this.`,
  manifest_damaged:
    "Run `snapshot build --tenant {tenant}`: it cannot trust this manifest, so it writes every file anew.",
  object_damaged:
    "Run `snapshot build --tenant {tenant} --rewrite`: a plain build would take the damaged file over as unchanged.",
  snapshot_disagrees:
    "Run `snapshot build --tenant {tenant} --rewrite`, which makes lists and details anew from the source.",
  response_invalid:
    "Run `snapshot build --tenant {tenant} --rewrite`; if the finding stays, it is a defect of this program.",
} as const satisfies Readonly<Record<string, string>>;

/** No run builds the sandbox. */
const sandboxRemedy =
  "Run `sandbox init`; if the finding stays, `sandbox init --remove` and then `sandbox init`, which issues new tokens.";

type FindingCode = keyof typeof findingRemedies;

function findingRemedy(code: FindingCode, tenantId: TenantId, isSandbox: boolean): string {
  return isSandbox ? sandboxRemedy : findingRemedies[code].replaceAll("{tenant}", tenantId);
}

/** One line per tenant, then every finding with its object, and what to do about each kind once. */
export function verificationText(results: readonly TenantVerification[]): string {
  const lines = table(
    ["TENANT", "RESULT", "SNAPSHOT", numbers("PROGRAMS"), numbers("OBJECTS"), numbers("BYTES")],
    results.map(({ tenantId, outcome, snapshotId, programs, objects, bytes, ...rest }) => [
      tenantId,
      outcome === "findings" ? counted(rest.findings.length + rest.findingsOmitted, "finding") : outcome,
      snapshotId ?? "-",
      programs === null ? "-" : numberText(programs),
      numberText(objects),
      numberText(bytes),
    ]),
  );
  return [lines, ...results.map(findingsOf)].filter((text) => text !== "").join("\n");
}

function findingsOf({ tenantId, findings, findingsOmitted }: TenantVerification): string {
  if (findings.length === 0) return "";
  const remedies = [...new Map(findings.map(({ code, remedy }) => [code, remedy]))];
  const texts = remedies.flatMap(([code, remedy]) => [
    ...findings
      .filter((finding) => finding.code === code)
      .map(({ key, message }) => `  ${code} ${printable(`${key}: ${message}`)}\n`),
    `  For operations, about ${code}: ${remedy}\n`,
  ]);
  const rest = findingsOmitted > 0 ? `  ... and ${findingsOmitted} more\n` : "";
  // What it means for partners, before the technical detail.
  const meaning = findings.every(({ code }) => code === "response_invalid" || code === "snapshot_disagrees")
    ? "What is published is not as it should be."
    : "A published file is damaged, and partners get 500 for it.";
  return `${tenantId}: ${meaning} Escalate to operations; technical detail:\n${texts.join("")}${rest}`;
}
