import type { ProgramDetailResponse, ProgramListResponse } from "./program-types.ts";
import {
  type Changes,
  changesOf,
  detailsToRead,
  isBehind,
  isWholeList,
  note,
  takeDetail,
  takeFailure,
  takeList,
} from "./programs-changes.ts";
import { type Answer, ProgramsApiError, type Requester } from "./programs-request.ts";
import {
  type CopiedProgram,
  createSaver,
  emptyState,
  type ProgramsState,
  type StateStore,
  type StoredProgram,
} from "./programs-state.ts";

export interface PollOptions {
  readonly state: StateStore;
  /**
   * Takes over what has changed, while the poll goes on: first what the list says, then details as they come.
   * After a crash, or when it throws, it is told the same again, so that nothing is ever missed.
   */
  readonly onUpdate?: (update: Update) => void | Promise<void>;
  /**
   * When the API can't say which details have changed, as after a company went back to an earlier snapshot:
   * how many programs each poll reads again, those first that were read longest ago. A change that only the
   * detail shows then arrives after at most (programs / refreshPerPoll) polls.
   */
  readonly refreshPerPoll?: number;
  /**
   * How long the client waits before it asks once more what has changed: the first server may have been a
   * moment behind.
   */
  readonly askAgainMs?: number;
  /** How many details one poll reads at most; the next one goes on. */
  readonly detailsPerPoll?: number;
  /**
   * A poll that takes longer than this reads the list again in between, so that what is gone is told in time.
   */
  readonly listEveryMs?: number;
}

/** What is different, and how far the copy is. */
export interface Update extends Changes {
  /** The whole copy, by program id. */
  readonly programs: ReadonlyMap<string, CopiedProgram>;
  /** Programs that are new or have changed, and whose detail has not been read since. */
  readonly detailsLeft: number;
  /** About how long the quota makes those wait. */
  readonly secondsLeft: number;
}

/**
 * What a poll did. `added`, `changed` and `removed` say what is different since the last poll that succeeded.
 */
export interface SyncResult extends Update {
  readonly snapshotId: string;
  /** Requests that this poll made. */
  readonly requests: number;
  /** Details that could not be read, by program id. The next poll tries them again. */
  readonly failed: ReadonlyMap<string, ProgramsApiError>;
  /** Programs whose detail may be older than the list's snapshot; later polls read it. */
  readonly waitingForRefresh: number;
}

/**
 * After so many failures in a row the server is in trouble: the poll reads no further details, and the next
 * one goes on.
 */
const maxFailuresInARow = 10;

/** Reads the list, then one detail after the other, and saves and tells what is new every few seconds. */
export async function poll(requester: Requester, options: PollOptions): Promise<SyncResult> {
  const { state: store, onUpdate, refreshPerPoll = 10, listEveryMs = 120_000 } = options;
  const { detailsPerPoll = Number.POSITIVE_INFINITY, askAgainMs = 2000 } = options;
  const requestsBefore = requester.count;
  const state = { ...emptyState(), ...(await store.load()) };
  const saver = createSaver(store, state);
  const told: ProgramsState["pending"] = {};
  const failed = new Map<string, ProgramsApiError>();

  let listAt = 0;
  let asked = 0;
  let failedInARow = 0;

  try {
    do await readList();
    while (await readDetails());
    await saveAndTell(true);
  } finally {
    await saver.save();
  }
  return {
    ...changesOf(told),
    ...progress(),
    snapshotId: state.snapshotId,
    requests: requester.count - requestsBefore,
    failed,
    waitingForRefresh: count(({ snapshotId }) => snapshotId !== state.snapshotId),
  };

  async function readList(): Promise<void> {
    const { snapshotId, generatedAt, changedIds, body } = await askForList();
    listAt = performance.now();
    const list = body as ProgramListResponse;
    if (snapshotId !== state.snapshotId || requester.source !== state.source || state.heldId !== "")
      saver.need();
    takeList(state, requester.source, { snapshotId, generatedAt, changedIds, list });
    for (const id of failed.keys()) if (!Object.hasOwn(state.programs, id)) failed.delete(id);
    await saveAndTell();
  }

  async function askForList(): Promise<Answer> {
    const path = "/v1/programs";
    const since = state.snapshotId;
    const answer = await requester.get(path, isWholeList, { since });
    const { status, snapshotId, changedIds, requestId } = answer;
    // The list is never missing: this is another server, or another path of it. The copy stays as it is.
    if (status === 404) throw new ProgramsApiError(`${path} (is the base address right?)`, status, requestId);
    if (since === "" || snapshotId === since || changedIds !== undefined) return answer;
    await requester.pause(askAgainMs);
    try {
      const second = await requester.get(path, isWholeList, { since, attempts: 1 });
      return second.status === 200 ? second : answer;
    } catch (error) {
      unlessItEnds(error);
      return answer;
    }
  }

  /**
   * Whether it stopped because the list is due again. What was read before an error that ends the poll is
   * told.
   */
  async function readDetails(): Promise<boolean> {
    // Once a detail has failed, the others get one attempt each, so that many that fail do not hold up the
    // rest.
    let isInsisting = true;
    for (const id of detailsToRead(state, refreshPerPoll)) {
      if (asked >= detailsPerPoll || failedInARow >= maxFailuresInARow) return false;
      asked += 1;
      const isRead: boolean = await readDetail(id, isInsisting && !state.programs[id]?.hasFailed).catch(
        async (error) => {
          await saveAndTell();
          throw error;
        },
      );
      isInsisting &&= isRead;
      failedInARow = isRead ? 0 : failedInARow + 1;
      saver.need();
      const waitMs = requester.waitMs();
      if (saver.isDue(waitMs)) await saveAndTell();
      if (performance.now() + waitMs - listAt >= listEveryMs) return true;
    }
    return false;
  }

  /** Whether the detail could be read. Throws when the token is refused. */
  async function readDetail(id: string, isInsisted: boolean): Promise<boolean> {
    const path = `/v1/programs/${encodeURIComponent(id)}`;
    const isDetail = (body: unknown): boolean => Object(Object(body).data).id === id;
    try {
      const answer = isInsisted
        ? await requester.get(path, isDetail, { isDetail: true })
        : await requester.get(path, isDetail, { isDetail: true, attempts: 1 });
      const { status, snapshotId, requestId, body } = answer;
      // The API's own 404 names the snapshot that lacks the program. Another one comes from a proxy on the
      // way, and a server that is behind does not know the program yet.
      if (status === 404 && (snapshotId === "" || isBehind(state, answer)))
        throw new ProgramsApiError(path, status, requestId);
      takeDetail(state, id, answer, status === 404 ? undefined : (body as ProgramDetailResponse).data);
      failed.delete(id);
      return true;
    } catch (error) {
      failed.set(id, unlessItEnds(error));
      takeFailure(state, id);
      return false;
    }
  }

  /** Without `onUpdate`, the result tells everything at the end. */
  async function saveAndTell(isEnd = false): Promise<void> {
    const isPending = Object.keys(state.pending).length > 0;
    // Save first whatever is to be told: after a crash, the client could not take back what it had told and
    // not saved.
    if (isPending) saver.need();
    await saver.save();
    if (!isPending || (onUpdate === undefined && !isEnd)) return;
    await onUpdate?.({ ...changesOf(state.pending), ...progress() });
    for (const [id, change] of Object.entries(state.pending)) note(told, id, change);
    state.pending = {};
    saver.need();
  }

  function progress(): Omit<Update, keyof Changes> {
    const detailsLeft = count(({ isDue }) => isDue);
    const secondsLeft = requester.secondsFor(detailsLeft);
    return { programs: new Map(Object.entries(state.programs)), detailsLeft, secondsLeft };
  }

  function count(isOne: (program: StoredProgram) => boolean): number {
    return Object.values(state.programs).filter(isOne).length;
  }
}

/** An error that the poll goes on with. */
function unlessItEnds(error: unknown): ProgramsApiError {
  if (!(error instanceof ProgramsApiError) || error.endsPoll) throw error;
  return error;
}
