import { isDeepStrictEqual } from "node:util";
import type { ProgramDetail, ProgramListResponse } from "./program-types.ts";
import type { Change, DetailFields, ProgramsState, StoredProgram } from "./programs-state.ts";

/** Ids of programs by what became of them. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** A list as it was read. */
export interface ReadList {
  readonly list: ProgramListResponse;
  readonly snapshotId: string;
  /** Programs whose detail has changed since the state's list; `undefined` where the API can't say. */
  readonly changedIds: readonly string[] | undefined;
}

/**
 * Takes all list fields at once. Only a list says what is gone. `source` is a digest of the token that it was read with.
 */
export function takeList(
  state: ProgramsState,
  source: string,
  { list, snapshotId, changedIds }: ReadList,
): void {
  const since = state.snapshotId;
  const changed = new Set(changedIds);
  // Another token may be another company's, where the same id can stand for another program.
  const isPerhapsAnother = source !== state.source && snapshotId !== state.snapshotId;
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
  Object.assign(state, { source, snapshotId, programs });

  function standing(known: StoredProgram, isSame: boolean): Pick<StoredProgram, "isDue" | "snapshotId"> {
    // A detail that was read from this very snapshot is as new as the list.
    const isDue = (known.isDue || !isSame) && known.snapshotId !== snapshotId;
    const isAsNew = changedIds !== undefined && known.snapshotId === since && !isDue;
    return { isDue, snapshotId: isAsNew ? snapshotId : known.snapshotId };
  }
}

/** Takes a detail as it was just read from a snapshot, or `undefined` for a program that is published no more. */
export function takeDetail(
  state: ProgramsState,
  id: string,
  snapshotId: string,
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
  const listed = Object.entries(item);
  const fields = Object.entries(detail).filter(([key]) => !Object.hasOwn(item, key));
  const further = Object.fromEntries(fields) as unknown as DetailFields;
  if (!isDeepStrictEqual(program.detail, further)) note(state.pending, id, "changed");
  // Around a publication the detail may be from an older or a newer snapshot than the list. The next list decides about it.
  const isDue = listed.some(([key, value]) => !isDeepStrictEqual(detail[key as keyof ProgramDetail], value));
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
 * The details to read, the longest unread first. Programs that have changed come before new ones, for you show them
 * already; then some that may have changed. What failed last time comes last, lest it holds up the rest.
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
 * Adds a change to what is noted: two of one program become one. One that was added and removed is still told as removed: a
 * process that was killed may have told that it was added.
 */
export function note(noted: ProgramsState["pending"], id: string, change: Change): void {
  const earlier = Object.hasOwn(noted, id) ? noted[id] : undefined;
  if (earlier === undefined || change === "removed") noted[id] = change;
  else if (earlier === "removed") noted[id] = "changed";
}
