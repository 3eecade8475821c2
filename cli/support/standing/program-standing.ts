import { isProgramId, type TenantId } from "../../../core/ids.ts";
import type { ProgramChange } from "../../operate/snapshots/program-changes.ts";
import type { ProgramInSource } from "../explain/program-in-source.ts";
import type { ProgramInStore } from "../explain/program-in-store.ts";
import type { LastRun } from "../run-history.ts";
import type { TenantWay } from "./tenant-way.ts";

/** Everything that was found out about one program, read once. */
export interface ProgramFacts {
  readonly tenantId: TenantId;
  /** As asked for, so possibly ill-formed. */
  readonly programId: string;
  /** When the tenant was removed, RFC 3339; `null` while it is not. */
  readonly removedAt: string | null;
  readonly source: ProgramInSource;
  readonly store: ProgramInStore;
  readonly lastRun: LastRun | null;
  readonly way: TenantWay;
  /** What separates what is served from what the source has now; `null` when not both are known. */
  readonly changes: readonly ProgramChange[] | null;
}

type Source<Kind extends ProgramInSource["kind"]> = Extract<ProgramInSource, { readonly kind: Kind }>;

/** P47: what partners see of a program now, against what the source says of it. Each is a row of the table. */
export type ProgramStanding =
  /** No program can have such an id. `near`: the live program that may be meant. */
  | { readonly kind: "malformed_id"; readonly near: string | null; readonly isInSource: boolean }
  /** P91: nobody is served any more, whatever is still stored. */
  | { readonly kind: "removed"; readonly removedAt: string; readonly isListed: boolean }
  | { readonly kind: "damaged"; readonly isHeld: boolean }
  | { readonly kind: "unpublished" }
  | { readonly kind: "unpublished_unlisted" }
  | { readonly kind: "unpublished_unchecked" }
  | { readonly kind: "served_same" }
  | { readonly kind: "served_dropped"; readonly dropped: Source<"publishable">["dropped"] }
  | { readonly kind: "served_unchecked" }
  | { readonly kind: "served_unlisted" }
  | { readonly kind: "served_differs"; readonly changes: readonly ProgramChange[] }
  | { readonly kind: "served_absent" }
  | { readonly kind: "served_withdrawn"; readonly state: string }
  /** Builds leave a faulty program out, so it goes. */
  | { readonly kind: "served_faulty"; readonly problems: Source<"invalid">["problems"] }
  /** Builds stop at a faulty program, so it stays as it is. */
  | { readonly kind: "served_stopping"; readonly problems: Source<"invalid">["problems"] }
  | { readonly kind: "missing_waiting" }
  | { readonly kind: "missing_unpublishable"; readonly state: string }
  | { readonly kind: "missing_faulty"; readonly problems: Source<"invalid">["problems"] }
  | { readonly kind: "missing_stopping"; readonly problems: Source<"invalid">["problems"] }
  | { readonly kind: "missing_unchecked"; readonly near: string | null }
  | { readonly kind: "missing_unlisted" }
  /** The same id but for case or spaces around it. */
  | { readonly kind: "missing_spelled"; readonly spelled: string }
  | { readonly kind: "missing_elsewhere"; readonly owner: string; readonly ownersId: string }
  /** A snapshot that is kept has it. */
  | { readonly kind: "missing_gone" }
  | { readonly kind: "missing_near"; readonly near: string }
  | { readonly kind: "missing_unknown" };

/** Pure and total: every combination of facts stands in exactly one way. */
export function programStanding(facts: ProgramFacts): ProgramStanding {
  const { store, programId, source, removedAt } = facts;
  if (removedAt !== null) return { kind: "removed", removedAt, isListed: isListed(source) };
  if (!isProgramId(programId)) {
    const near = store.kind === "live" ? store.near : null;
    return { kind: "malformed_id", near, isInSource: hasRow(source) };
  }
  switch (store.kind) {
    case "damaged":
      return { kind: "damaged", isHeld: store.hold !== null };
    case "unpublished":
      return { kind: unpublished(source) };
    case "live":
      return store.served === null ? missing(facts, store) : served(facts);
  }
}

function isListed({ kind }: ProgramInSource): boolean {
  return kind !== "tenant_unknown" && kind !== "unavailable";
}

function unpublished({ kind }: ProgramInSource) {
  if (kind === "tenant_unknown") return "unpublished_unlisted";
  return kind === "unavailable" ? "unpublished_unchecked" : "unpublished";
}

function hasRow({ kind }: ProgramInSource): boolean {
  return kind === "invalid" || kind === "publishable" || kind === "not_publishable";
}

function served({ source, changes, lastRun }: ProgramFacts): ProgramStanding {
  switch (source.kind) {
    case "unavailable":
      return { kind: "served_unchecked" };
    case "tenant_unknown":
      return { kind: "served_unlisted" };
    case "absent":
      return { kind: "served_absent" };
    case "not_publishable":
      return { kind: "served_withdrawn", state: source.state };
    case "invalid":
      return { kind: stops(lastRun) ? "served_stopping" : "served_faulty", problems: source.problems };
    case "publishable":
      if (changes !== null && changes.length > 0) return { kind: "served_differs", changes };
      return source.dropped.length === 0
        ? { kind: "served_same" }
        : { kind: "served_dropped", dropped: source.dropped };
  }
}

type LiveStore = Extract<ProgramInStore, { readonly kind: "live" }>;

function missing({ source, lastRun, tenantId, programId }: ProgramFacts, store: LiveStore): ProgramStanding {
  switch (source.kind) {
    case "unavailable":
      return { kind: "missing_unchecked", near: store.near };
    case "tenant_unknown":
      return { kind: "missing_unlisted" };
    case "not_publishable":
      return { kind: "missing_unpublishable", state: source.state };
    case "invalid":
      return { kind: stops(lastRun) ? "missing_stopping" : "missing_faulty", problems: source.problems };
    case "publishable":
      return { kind: "missing_waiting" };
    case "absent":
      break;
  }
  const spelled = source.elsewhere.find((found) => found.tenantId === tenantId);
  if (spelled !== undefined) return { kind: "missing_spelled", spelled: spelled.programId };
  const owner = source.elsewhere.find((found) => found.programId === programId) ?? source.elsewhere[0];
  if (owner !== undefined) {
    return { kind: "missing_elsewhere", owner: owner.tenantId, ownersId: owner.programId };
  }
  if (store.history.last !== null) return { kind: "missing_gone" };
  return store.near === null ? { kind: "missing_unknown" } : { kind: "missing_near", near: store.near };
}

/** P19: what builds of this tenant do with a faulty program, as far as the last one tells. */
function stops(lastRun: LastRun | null): boolean {
  return lastRun?.onInvalid === "fail";
}
