import { isDeepStrictEqual } from "node:util";
import type { ProgramDetail, ProgramListResponse } from "./program-types.ts";
import type { Change, ProgramsState, StoredProgram } from "./programs-state.ts";

/** What is new to the caller: ids by what became of them. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Takes all list fields at once. Only a list says what is gone. */
export function takeList(state: ProgramsState, snapshotId: string, list: ProgramListResponse): void {
  // Compared for equality only: a company can go back to an earlier snapshot.
  if (snapshotId !== state.snapshotId) state.epoch += 1;
  state.snapshotId = snapshotId;
  const old = state.programs;
  const programs: Record<string, StoredProgram> = {};
  for (const item of list.data) {
    const known = Object.hasOwn(old, item.id) ? old[item.id] : undefined;
    if (known === undefined) note(state, item.id, "added");
    else if (!isDeepStrictEqual(known.item, item)) note(state, item.id, "changed");
    programs[item.id] = known === undefined ? { item, detail: null, epoch: 0 } : { ...known, item };
  }
  for (const id of Object.keys(old)) if (!Object.hasOwn(programs, id)) note(state, id, "removed");
  state.programs = programs;
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
    note(state, id, "removed");
    delete state.programs[id];
    return;
  }
  if (program.detail !== null && !isDeepStrictEqual(program.detail, detail)) note(state, id, "changed");
  program.detail = detail;
  // Around a publication another gateway may still answer from the snapshot before: then it is read again.
  program.epoch = snapshotId === state.snapshotId ? state.epoch : state.epoch - 1;
}

/** First what is new or has changed in the list, then some of the others, the longest unread first. */
export function detailsToRead({ programs, epoch }: ProgramsState, refreshPerPoll: number): readonly string[] {
  const needed: string[] = [];
  const rest: [id: string, epoch: number][] = [];
  for (const [id, { item, detail, epoch: readIn }] of Object.entries(programs)) {
    // A detail that was read from a newer snapshot than its list may be up to date already.
    if (detail === null || readIn < 0 || !hasFieldsOf(detail, item)) needed.push(id);
    else if (readIn < epoch) rest.push([id, readIn]);
  }
  rest.sort(([, a], [, b]) => a - b);
  return [...needed, ...rest.slice(0, refreshPerPoll).map(([id]) => id)];
}

/** Takes what the caller is told now. A new program is told once its detail is there. */
export function takeChanges(state: ProgramsState): Changes {
  const { pending, programs } = state;
  const isTold = (id: string): boolean => !Object.hasOwn(programs, id) || programs[id]?.detail !== null;
  const of = (wanted: Change): readonly string[] =>
    Object.keys(pending).filter((id) => pending[id] === wanted && isTold(id));
  state.pending = Object.fromEntries(Object.entries(pending).filter(([id]) => !isTold(id)));
  return { added: of("added"), changed: of("changed"), removed: of("removed") };
}

/** Kept with the copy until a poll succeeds: the caller hears nothing of one that fails. */
function note({ pending }: ProgramsState, id: string, change: Change): void {
  const earlier = Object.hasOwn(pending, id) ? pending[id] : undefined;
  if (earlier === undefined) pending[id] = change;
  else if (earlier === "added" && change === "removed") delete pending[id];
  else if (change === "removed") pending[id] = "removed";
  else if (earlier === "removed") pending[id] = "changed";
}

/** A detail begins with the fields of its list element. */
function hasFieldsOf(detail: ProgramDetail, item: object): boolean {
  return Object.entries(item).every(([key, value]) =>
    isDeepStrictEqual(detail[key as keyof ProgramDetail], value),
  );
}
