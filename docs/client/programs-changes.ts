import { isDeepStrictEqual } from "node:util";
import type { ProgramDetail, ProgramListResponse } from "./program-types.ts";
import type { Change, DetailFields, ProgramsState, StoredProgram } from "./programs-state.ts";

/** Ids of programs by what became of them. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The snapshot that an answer is of. */
export interface SnapshotOf {
  readonly snapshotId: string;
  /** When its data was read; empty where the answer does not say. */
  readonly generatedAt: string;
}

/** A list as it was read. */
export interface ReadList extends SnapshotOf {
  readonly list: ProgramListResponse;
  /** Programs whose detail has changed since the state's list; `undefined` where the API can't say. */
  readonly changedIds: readonly string[] | undefined;
}

/** Of the form that the API promises, so that it can stand in a path. */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;

/**
 * Whether a body is a whole list: as many elements as it says, each with an id, and no id for two programs.
 * Another server's list, or one that a proxy has spoiled, must not empty the copy.
 */
export function isWholeList(body: unknown): boolean {
  const { data, meta } = Object(body) as { data?: unknown; meta?: { count?: unknown } | null };
  if (!Array.isArray(data) || meta?.count !== data.length) return false;
  const byId = new Map<string, unknown>();
  return data.every((item: unknown) => {
    const { id } = Object(item) as { id?: unknown };
    if (typeof id !== "string" || !idForm.test(id)) return false;
    if (byId.has(id)) return isDeepStrictEqual(byId.get(id), item);
    byId.set(id, item);
    return true;
  });
}

/**
 * Takes all list fields at once. Only a list says what is gone. `source` is a digest of the token that it was
 * read with.
 *
 * A list that is older than the copy's is of a server that is behind, or the company went back to an earlier
 * snapshot. So it is put off until the next list says the same. Otherwise programs would come and go with the
 * server that happens to answer.
 */
export function takeList(state: ProgramsState, source: string, read: ReadList): void {
  const { list, snapshotId, generatedAt, changedIds } = read;
  const since = state.snapshotId;
  if (source === state.source && isOlder(read, state) && snapshotId !== state.heldId) {
    state.heldId = snapshotId;
    return;
  }
  const changed = new Set(changedIds);
  // Another token may be another company's, where the same id can stand for another program. Only its own API
  // knows the copy's snapshot, and so what has changed since.
  const isKnown = snapshotId === since || changedIds !== undefined;
  const isPerhapsAnother = source !== state.source && !isKnown;
  const old = state.programs;
  const programs: Record<string, StoredProgram> = {};
  for (const item of list.data) {
    const known = Object.hasOwn(old, item.id) ? old[item.id] : undefined;
    const isSame = known !== undefined && isDeepStrictEqual(known.item, item);
    if (!isSame) note(state.pending, item.id, known === undefined ? "added" : "changed");
    programs[item.id] =
      known === undefined || (isPerhapsAnother && !isSame)
        ? { item, detail: null, snapshotId: "", isDue: true, turn: 0, hasFailed: false }
        : { ...known, item, ...standing(known, isSame && !changed.has(item.id)) };
  }
  for (const id of Object.keys(old)) if (!Object.hasOwn(programs, id)) note(state.pending, id, "removed");
  const earlierId = snapshotId === since ? state.earlierId : since;
  Object.assign(state, { source, snapshotId, generatedAt, earlierId, heldId: "", programs });

  function standing(known: StoredProgram, isSame: boolean): Pick<StoredProgram, "isDue" | "snapshotId"> {
    // A detail that was read from this very snapshot is as new as the list.
    const isDue = (known.isDue || !isSame) && known.snapshotId !== snapshotId;
    const isAsNew = changedIds !== undefined && known.snapshotId === since && !isDue;
    return { isDue, snapshotId: isAsNew ? snapshotId : known.snapshotId };
  }
}

/**
 * Whether an answer is of a server that is behind the copy's list: it names the snapshot before, or an older
 * one. Not every other snapshot counts: a newer one is as good, and a first copy would never end beside
 * frequent publications.
 */
export function isBehind(state: ProgramsState, of: SnapshotOf): boolean {
  return of.snapshotId !== state.snapshotId && (of.snapshotId === state.earlierId || isOlder(of, state));
}

/** A time that is not said, or is none, is older than no other. */
function isOlder(one: SnapshotOf, other: SnapshotOf): boolean {
  return one.snapshotId !== other.snapshotId && Date.parse(one.generatedAt) < Date.parse(other.generatedAt);
}

/**
 * Takes a detail as it was just read from a snapshot, or `undefined` for a program that is published no more.
 */
export function takeDetail(
  state: ProgramsState,
  id: string,
  of: SnapshotOf,
  detail: ProgramDetail | undefined,
): void {
  const program = state.programs[id];
  if (program === undefined) return;
  if (detail === undefined) {
    note(state.pending, id, "removed");
    delete state.programs[id];
    return;
  }
  const { item } = program;
  const fields = Object.entries(detail).filter(([key]) => !Object.hasOwn(item, key));
  const further = Object.fromEntries(fields) as unknown as DetailFields;
  if (!isDeepStrictEqual(program.detail, further)) note(state.pending, id, "changed");
  // Around a publication the detail may be from an older or a newer snapshot than the list. The next list
  // decides about it.
  const isOther = Object.entries(item).some(
    ([key, value]) =>
      Object.hasOwn(detail, key) && !isDeepStrictEqual(detail[key as keyof ProgramDetail], value),
  );
  const isDue = isOther || isBehind(state, of);
  const { snapshotId } = of;
  state.turn += 1;
  state.programs[id] = { item, detail: further, snapshotId, isDue, turn: state.turn, hasFailed: false };
}

/** Notes that a detail could not be read. */
export function takeFailure(state: ProgramsState, id: string): void {
  const program = state.programs[id];
  if (program === undefined) return;
  state.turn += 1;
  state.programs[id] = { ...program, turn: state.turn, hasFailed: true };
}

/**
 * The details to read, the longest unread first. Programs that have changed come before new ones, for you
 * show them already; then some that may have changed. What failed last time comes last, lest it holds up the
 * rest.
 */
export function detailsToRead(
  { programs, snapshotId }: ProgramsState,
  refreshPerPoll: number,
): readonly string[] {
  const [changed, added, rest, failed]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const [id, program] of Object.entries(programs).sort(([, a], [, b]) => a.turn - b.turn)) {
    if (program.isDue) (program.hasFailed ? failed : program.detail === null ? added : changed).push(id);
    else if (program.snapshotId !== snapshotId) rest.push(id);
  }
  return [...changed, ...added, ...rest.slice(0, refreshPerPoll), ...failed];
}

export function changesOf(noted: ProgramsState["pending"]): Changes {
  const of = (wanted: Change): readonly string[] => Object.keys(noted).filter((id) => noted[id] === wanted);
  return { added: of("added"), changed: of("changed"), removed: of("removed") };
}

/**
 * Adds a change to what is noted: two of one program become one. One that was added and removed is still told
 * as removed: a process that was killed may have told that it was added.
 */
export function note(noted: ProgramsState["pending"], id: string, change: Change): void {
  const earlier = Object.hasOwn(noted, id) ? noted[id] : undefined;
  if (earlier === undefined || change === "removed") noted[id] = change;
  else if (earlier === "removed") noted[id] = "changed";
}
