import { Failure } from "../../core/failure.ts";
import {
  type ProgramId,
  parseProgramId,
  parseSnapshotId,
  parseTenantId,
  type TenantId,
} from "../../core/ids.ts";
import { detailEntry } from "../../core/manifest.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import {
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../schemas/generated/validators-published.ts";
import type { CliSettings } from "../shell/shell.ts";
import { compareSnapshots, snapshotBefore } from "../snapshot/snapshot-diff.ts";
import { responseBytes } from "../snapshot/stored-response.ts";
import { chosenSnapshot, publishedSnapshot } from "../snapshot/stored-snapshot.ts";
import { type PublishedSnapshot, readTenantSnapshots } from "../snapshot/tenant-snapshots.ts";
import { explainProgram } from "../support/explain/explain-program.ts";
import { tenantStatus } from "../support/tenant-status.ts";
import { diffPage } from "./diff-page.ts";
import { explainForm, explainPage } from "./explain-page.ts";
import type { Page } from "./page.ts";
import { programPage } from "./program-page.ts";
import { searchPrograms } from "./program-search.ts";
import { tenantPage } from "./tenant-page.ts";
import { tenantsPage } from "./tenants-page.ts";

/** What the pages are made from. */
export interface Inspection {
  readonly store: ObjectStore;
  readonly settings: CliSettings;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** The page at the address. Throws `not_found` when there is none. */
export async function pageAt(url: URL, inspection: Inspection): Promise<Page> {
  const { store, now, signal } = inspection;
  const [root, tenant, part, program, ...rest] = url.pathname.split("/").slice(1).map(decoded);
  if (url.pathname === "/") return tenantsPage(await tenantStatus(store, undefined, now(), signal), now());
  if (root === "tenants" && tenant !== undefined && rest.length === 0) {
    const tenantId = parseTenantId(tenant);
    if (part === undefined) return await tenantAt(tenantId, url.searchParams, inspection);
    if (part === "programs" && program !== undefined) {
      return await programAt(tenantId, parseProgramId(program), inspection);
    }
    if (part === "diff" && program === undefined) return await diffAt(tenantId, url.searchParams, inspection);
    if (part === "explain" && program === undefined) {
      return await explainAt(tenantId, url.searchParams.get("program"), inspection);
    }
  }
  throw new Failure("not_found", "There is no page at this address.");
}

async function tenantAt(tenantId: TenantId, query: URLSearchParams, inspection: Inspection): Promise<Page> {
  const { store, now, signal } = inspection;
  const { tenants } = await tenantStatus(store, tenantId, now(), signal);
  const [status] = tenants;
  if (status === undefined || (status.live === null && status.fault === null && status.lastRun === null)) {
    throw new Failure("not_found", `The store has nothing of tenant ${tenantId}.`);
  }
  const text = query.get("q")?.trim() ?? "";
  if (status.live === null) return tenantPage({ status, query: text, found: null, snapshots: [] }, now());
  const live = await publishedSnapshot(store, tenantId, signal);
  if (live === undefined) throw new Failure("not_found", `Tenant ${tenantId} is not published any more.`);
  const list = json(await responseBytes(store, live.manifest.list, signal));
  const programs = isProgramListResponse(list) ? list.data : [];
  const { published } = await readTenantSnapshots(store, live.pointer, signal);
  const found = searchPrograms(programs, text, Number(query.get("page") ?? 1) || 1);
  return tenantPage({ status, query: text, found, snapshots: newest(published) }, now());
}

async function programAt(tenantId: TenantId, programId: ProgramId, inspection: Inspection): Promise<Page> {
  const { store, signal } = inspection;
  const { manifest } = await chosenSnapshot(store, tenantId, undefined, signal);
  const entry = detailEntry(manifest, programId);
  if (entry === undefined) {
    throw new Failure("not_found", `The live snapshot has no program ${programId}: partners get 404 for it.`);
  }
  const document = json(await responseBytes(store, entry, signal));
  const program = isProgramDetailResponse(document) ? document.data : null;
  const { snapshotId } = manifest;
  return programPage({
    tenantId,
    programId,
    snapshotId,
    objectKey: entry.key,
    sha256: entry.sha256,
    document,
    program,
  });
}

async function diffAt(tenantId: TenantId, query: URLSearchParams, inspection: Inspection): Promise<Page> {
  const { store, now, signal } = inspection;
  const chosen = (name: string) => {
    const text = query.get(name);
    return text === null || text === "" ? undefined : parseSnapshotId(text);
  };
  const { manifest: to, live } = await chosenSnapshot(store, tenantId, chosen("to"), signal);
  const older = chosen("from");
  const from =
    older === undefined
      ? await snapshotBefore(store, to, live, signal)
      : (await chosenSnapshot(store, tenantId, older, signal)).manifest;
  const diff = await compareSnapshots(store, from, to, maxDetails, signal);
  const { published } = await readTenantSnapshots(store, live.pointer, signal);
  return diffPage({ tenantId, snapshots: newest(published), diff, maxDetails }, now());
}

async function explainAt(tenantId: TenantId, program: string | null, inspection: Inspection): Promise<Page> {
  const { store, settings, now, signal } = inspection;
  const programId = program?.trim() ?? "";
  if (programId === "" || programId.length > 500) return explainForm(tenantId);
  return explainPage(await explainProgram(store, settings, { tenantId, programId }, now(), signal), now());
}

/** A page is read by a person. */
const maxDetails = 50;
const maxSnapshots = 20;

function newest(published: readonly PublishedSnapshot[]): readonly PublishedSnapshot[] {
  return published.slice(0, maxSnapshots);
}

function json(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString("utf8"));
}

/** Throws `usage` for what cannot be decoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new Failure("usage", "There is no page at this address.", { cause: error });
  }
}
