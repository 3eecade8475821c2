import type { ProgramDetail, ProgramDetailResponse, ProgramListResponse } from "./program-types.ts";
import { createRequester, ProgramsApiError, type RequestOptions } from "./programs-request.ts";
import { emptyState, type ProgramsState, type StateStore, type StoredProgram } from "./programs-state.ts";

export { ProgramsApiError } from "./programs-request.ts";
export { type ProgramsState, type StateStore, stateFile, stateInMemory } from "./programs-state.ts";

export interface ClientOptions extends RequestOptions {
  readonly state: StateStore;
  /**
   * How many unchanged programs each poll reads again after a new snapshot, those first that were read longest ago. A
   * change that only the detail shows arrives after at most (programs / refreshPerPoll) polls.
   */
  readonly refreshPerPoll?: number;
}

/** What a poll did. `programs` is the whole copy: the list's fields of now, the rest as last read. */
export interface SyncResult {
  readonly programs: ReadonlyMap<string, ProgramDetail>;
  readonly snapshotId: string;
  readonly added: readonly string[];
  /** Their list fields are others than before. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Requests that this poll made. */
  readonly requests: number;
  /** Programs that have not been read since the last new snapshot; later polls do. */
  readonly waitingForRefresh: number;
}

export interface ProgramsClient {
  /** One poll. Call it every few minutes, never twice at once. Throws after failures; what was read is kept. */
  sync(): Promise<SyncResult>;
}

const saveEvery = 50;

/** A client that keeps your copy of one company's programs. */
export function createProgramsClient(options: ClientOptions): ProgramsClient {
  const { state: store, refreshPerPoll = 10 } = options;
  const requester = createRequester(options);

  async function sync(): Promise<SyncResult> {
    const before = requester.count;
    const state = (await store.load()) ?? emptyState();
    const difference = takeList(state, await readList());
    const isNews = difference.isNew || difference.removed.length > 0;
    if (isNews) await store.save(state);
    await readDetails(state, detailsToRead(state, refreshPerPoll));
    const programs = new Map<string, ProgramDetail>();
    for (const [id, { item, detail }] of Object.entries(state.programs)) {
      if (detail !== null) programs.set(id, { ...detail, ...item });
    }
    const { added, changed, removed } = difference;
    const waitingForRefresh = Object.values(state.programs).filter(({ epoch }) => epoch < state.epoch).length;
    const requests = requester.count - before;
    return { programs, snapshotId: state.snapshotId, added, changed, removed, requests, waitingForRefresh };
  }

  async function readList(): Promise<{ snapshotId: string; list: ProgramListResponse }> {
    const { status, snapshotId, body } = await requester.get("/v1/programs");
    // The list is never missing: this is another server, or another path of it. The copy stays as it is.
    if (status === 404)
      throw new ProgramsApiError("/v1/programs (is the base address right?)", status, "none");
    return { snapshotId, list: body as ProgramListResponse };
  }

  /** What was read stays read, also when a later request fails. */
  async function readDetails(state: ProgramsState, ids: readonly string[]): Promise<void> {
    let unsaved = 0;
    try {
      for (const id of ids) {
        const path = `/v1/programs/${encodeURIComponent(id)}`;
        const { status, snapshotId, body } = await requester.get(path);
        // The API's own 404 names the snapshot that lacks the program; another one comes from a proxy on the way.
        if (status === 404 && snapshotId === "") throw new ProgramsApiError(path, status, "none");
        const program = state.programs[id];
        if (program === undefined) continue;
        // Published when the list was read, and not any more.
        if (status === 404) delete state.programs[id];
        else {
          program.detail = (body as ProgramDetailResponse).data;
          program.epoch = state.epoch;
        }
        unsaved += 1;
        if (unsaved % saveEvery === 0) await store.save(state);
      }
    } finally {
      if (unsaved % saveEvery !== 0) await store.save(state);
    }
  }

  return { sync };
}

interface Difference {
  readonly isNew: boolean;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Takes all list fields at once. Only a list says what is gone. */
function takeList(
  state: ProgramsState,
  { snapshotId, list }: { snapshotId: string; list: ProgramListResponse },
): Difference {
  // Compared for equality only: a company can go back to an earlier snapshot.
  const isNew = snapshotId !== state.snapshotId;
  if (isNew) state.epoch += 1;
  state.snapshotId = snapshotId;
  const old = state.programs;
  const added: string[] = [];
  const changed: string[] = [];
  const programs: Record<string, StoredProgram> = {};
  for (const item of list.data) {
    const known = Object.hasOwn(old, item.id) ? old[item.id] : undefined;
    if (known === undefined) added.push(item.id);
    else if (!isSame(known.item, item)) changed.push(item.id);
    programs[item.id] = known === undefined ? { item, detail: null, epoch: 0 } : { ...known, item };
  }
  const removed = Object.keys(old).filter((id) => !Object.hasOwn(programs, id));
  state.programs = programs;
  return { isNew, added, changed, removed };
}

/** First what is new or has changed in the list, then some of the others, the longest unread first. */
function detailsToRead({ programs, epoch }: ProgramsState, refreshPerPoll: number): readonly string[] {
  const needed: string[] = [];
  const rest: [id: string, epoch: number][] = [];
  for (const [id, { item, detail, epoch: readIn }] of Object.entries(programs)) {
    // A detail that was read from a newer snapshot than its list may be up to date already.
    if (detail === null || !hasFieldsOf(detail, item)) needed.push(id);
    else if (readIn < epoch) rest.push([id, readIn]);
  }
  rest.sort(([, a], [, b]) => a - b);
  return [...needed, ...rest.slice(0, refreshPerPoll).map(([id]) => id)];
}

/** A detail begins with the fields of its list element. */
function hasFieldsOf(detail: ProgramDetail, item: object): boolean {
  return Object.entries(item).every(([key, value]) => isSame(detail[key as keyof ProgramDetail], value));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
