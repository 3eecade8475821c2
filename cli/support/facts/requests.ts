import { asFailure } from "../../../core/failure.ts";
import { isSnapshotId, isTenantId, type TenantId } from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { type LivePeriod, readLivePeriods } from "../../operate/snapshots/live-periods.ts";
import { type ProgramPast, programPast } from "../../operate/snapshots/program-past.ts";
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
  /** Whether the store has any access key; `unknown` when the list of keys cannot be read. */
  readonly keys: "some" | "none" | "unknown";
  /** The tenant whose programs the access key reads now; `null` when none is known. */
  readonly tenant: JudgedTenant | null;
  /** The facts about a program that the request did not find; `null` when it found its program, or when nothing is known. */
  readonly miss: MissingProgram | null;
  /** The snapshot that the answer came from; `null` when there was none, or when it cannot be read. */
  readonly snapshot: AnsweringSnapshot | null;
  /** The present state of an object that the log calls damaged; `null` when there is none, or when it cannot be read. */
  readonly object: "whole" | "damaged" | "not_live" | null;
}

/** A program that a request did not find: why it was missing then, and its present state. */
export interface MissingProgram {
  readonly atTheTime: ProgramPast;
  readonly now: Explanation;
}

export type AnsweringSnapshot =
  | { readonly kind: "not_kept" }
  | {
      readonly kind: "kept";
      readonly programs: number;
      /** The snapshot that had replaced it before the request, and when; `null` when it was live at the time of the request. */
      readonly replaced: { readonly by: string; readonly at: string } | null;
    };

/**
 * Gateways follow a publication within seconds, so an answer from a snapshot that was replaced this shortly before is not old.
 */
const followMs = 5000;

export async function answeringSnapshot(
  store: ObjectStore,
  { tenantId, snapshotId, time, status }: RequestLogLine,
  signal: AbortSignal,
): Promise<AnsweringSnapshot | null> {
  if (status !== 200 || tenantId === null || !isTenantId(tenantId)) return null;
  if (snapshotId === null || !isSnapshotId(snapshotId)) return null;
  return await unlessUnreadable(signal, async () => {
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
  // The periods are in order of time, the newest first, so the next period in time is the one before in the list.
  const [last] = own;
  if (last?.until == null || at < Date.parse(last.until) + followMs) return null;
  const next = periods[periods.indexOf(last) - 1];
  return next === undefined ? null : { by: next.snapshotId, at: last.until };
}

/** Whether the object that the gateway found damaged is what the live manifest vouches for now. */
export async function objectState(
  store: ObjectStore,
  { tenantId, objectKey, causeCode, programId, status }: RequestLogLine,
  signal: AbortSignal,
): Promise<RequestFacts["object"]> {
  if (status < 500 || causeCode !== "corrupt_document" || tenantId === null || !isTenantId(tenantId))
    return null;
  return await unlessUnreadable(signal, async () => {
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

export async function missingProgram(
  store: ObjectStore,
  { programId, snapshotId, time }: RequestLogLine,
  tenantId: TenantId,
  now: Explanation,
  signal: AbortSignal,
): Promise<MissingProgram | null> {
  const found = await unlessUnreadable(signal, async () => {
    const live = await publishedSnapshot(store, tenantId, signal);
    if (live === undefined || programId === null) return null;
    const asked = snapshotId !== null && isSnapshotId(snapshotId) ? snapshotId : null;
    return await programPast(store, live, programId, { snapshotId: asked, at: new Date(time) }, signal);
  });
  return found && { atTheTime: found, now };
}

/** The answer, or `null` when the store fails, since the log alone explains much. */
export async function unlessUnreadable<Answer>(
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
