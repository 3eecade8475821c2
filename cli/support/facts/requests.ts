import { asFailure } from "../../../core/failure.ts";
import { isSnapshotId, isTenantId, type TenantId } from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { GatewayNote, RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import type { LivePeriod } from "../../operate/snapshots/live-periods.ts";
import { type MissedProgram, missedProgram } from "../../operate/snapshots/missed-program.ts";
import { type ProgramHistory, programHistory } from "../../operate/snapshots/program-history.ts";
import { readLivePeriods } from "../../operate/snapshots/read-live-periods.ts";
import { snapshotHistory } from "../../operate/snapshots/snapshot-history.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { readManifestHead } from "../../publish/snapshot/manifest-head.ts";
import { responseBytes } from "../../publish/snapshot/stored-response.ts";
import { publishedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import type { Explanation } from "../explain.ts";
import type { JudgedTenant } from "../judgement/tenant.ts";
import type { TokenFinding } from "./registry.ts";

export interface RequestFacts {
  readonly line: RequestLogLine;
  readonly token: TokenFinding;
  /** Whether the store has any access key; `unknown` where the list of them cannot be read. */
  readonly keys: "some" | "none" | "unknown";
  /** The tenant whose programs the access key reads now; `null` when none is known. */
  readonly tenant: JudgedTenant | null;
  /** What became of the program that was asked for in vain; `null` when none was, or when nothing could be found out. */
  readonly miss: Miss | null;
  /** The snapshot that answered; `null` when none did, or it cannot be asked. */
  readonly snapshot: AnsweringSnapshot | null;
  /** How the object that the log calls damaged is now; `null` when the log calls none so, or it cannot be asked. */
  readonly object: "whole" | "damaged" | "not_live" | null;
  /** What the gateway last said of its store before the request; `null` when the log has nothing of that. */
  readonly gateway: GatewayNote | null;
  /** This store's; `null` where it has no identity. */
  readonly storeId: string | null;
}

/** A program that was asked for in vain: why it was not there then, and how it stands now. */
export interface Miss {
  readonly missed: MissedProgram;
  readonly history: ProgramHistory | null;
  readonly now: Explanation;
}

export type AnsweringSnapshot =
  | { readonly kind: "not_kept" }
  | {
      readonly kind: "kept";
      readonly programs: number;
      /** The snapshot that had taken its place before the request, and when; `null`: it was live then. */
      readonly replaced: { readonly by: string; readonly at: string } | null;
    };

/** Gateways follow within seconds: what was replaced so shortly before is no old answer. */
const followMs = 5000;

export async function answeringSnapshot(
  store: ObjectStore,
  { tenantId, snapshotId, time, status }: RequestLogLine,
  signal: AbortSignal,
): Promise<AnsweringSnapshot | null> {
  if (status !== 200 || tenantId === null || !isTenantId(tenantId)) return null;
  if (snapshotId === null || !isSnapshotId(snapshotId)) return null;
  return await orNull(signal, async () => {
    const head = await readManifestHead(store, tenantId, snapshotId, signal);
    if (head === undefined) return { kind: "not_kept" };
    const pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined || pointer.current.snapshotId === snapshotId) {
      return { kind: "kept", programs: head.programs, replaced: null };
    }
    const { periods } = await readLivePeriods(store, pointer, signal);
    return { kind: "kept", programs: head.programs, replaced: replacedBefore(periods, snapshotId, time) };
  });
}

function replacedBefore(periods: readonly LivePeriod[], snapshotId: string, time: string) {
  const at = Date.parse(time);
  const own = periods.filter((period) => period.snapshotId === snapshotId && Date.parse(period.from) <= at);
  // Newest first: what comes before a period in the list came after it in time.
  const [last] = own;
  if (last?.until == null || at < Date.parse(last.until) + followMs) return null;
  const next = periods[periods.indexOf(last) - 1];
  return next === undefined ? null : { by: next.snapshotId, at: last.until };
}

/** Whether the object that the gateway found damaged is what the live manifest vouches for now. */
export async function damagedObject(
  store: ObjectStore,
  { tenantId, objectKey, causeCode, programId, status }: RequestLogLine,
  signal: AbortSignal,
): Promise<RequestFacts["object"]> {
  if (status < 500 || causeCode !== "corrupt_document" || tenantId === null || !isTenantId(tenantId))
    return null;
  return await orNull(signal, async () => {
    const pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined) return "not_live";
    try {
      const manifest = await readLiveManifest(store, pointer.current, signal);
      const detail = programId === null ? undefined : detailEntry(manifest, programId);
      const entry = [manifest.list, manifest.legacy, detail].find((known) => known?.key === objectKey);
      if (entry === undefined) return objectKey === null ? "whole" : "not_live";
      await responseBytes(store, entry, signal);
      return "whole";
    } catch (error) {
      if (asFailure(error).code !== "corrupt_document") throw error;
      return "damaged";
    }
  });
}

export async function missOf(
  store: ObjectStore,
  { programId, snapshotId, time }: RequestLogLine,
  tenantId: TenantId,
  now: Explanation,
  signal: AbortSignal,
): Promise<Miss | null> {
  const found = await orNull(signal, async () => {
    const live = await publishedSnapshot(store, tenantId, signal);
    if (live === undefined || programId === null) return null;
    const snapshots = await snapshotHistory(store, live, signal);
    return {
      missed: missedProgram(snapshots, programId, snapshotId, new Date(time)),
      history: programHistory(snapshots, live.manifest, programId),
    };
  });
  if (found !== null) return { ...found, now };
  // What was stored of a renamed tenant may be removed; its partners read the programs of the tenant that it is now.
  return now.renamedFrom === null ? null : { missed: { kind: "not_kept" }, history: null, now };
}

/** Nothing is thrown for the store's sake: the log alone explains much. */
export async function orNull<Answer>(
  signal: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (["interrupted", "busy"].includes(asFailure(error).code) || signal.aborted) throw error;
    return null;
  }
}
