import type { ProgramDetail, ProgramDetailResponse, ProgramListResponse } from "./program-types.ts";
import { type Changes, detailsToRead, takeChanges, takeDetail, takeList } from "./programs-changes.ts";
import { createRequester, ProgramsApiError, type RequestOptions } from "./programs-request.ts";
import { emptyState, type ProgramsState, type StateStore } from "./programs-state.ts";

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

/**
 * What a poll did. `programs` is the whole copy: the list's fields of now, the rest as last read. `added`, `changed` and
 * `removed` say what is different since the last poll that succeeded.
 */
export interface SyncResult extends Changes {
  readonly programs: ReadonlyMap<string, ProgramDetail>;
  readonly snapshotId: string;
  /** Requests that this poll made. */
  readonly requests: number;
  /** Programs that have not been read from the list's snapshot; later polls do. */
  readonly waitingForRefresh: number;
}

export interface ProgramsClient {
  /**
   * One poll. Call it every few minutes; a call during another one gets that one's result. Throws after failures; what was
   * read is kept.
   */
  sync(): Promise<SyncResult>;
}

/** A client that keeps your copy of one company's programs. */
export function createProgramsClient(options: ClientOptions): ProgramsClient {
  const { state: store, refreshPerPoll = 10 } = options;
  const requester = createRequester(options);
  let underWay: Promise<SyncResult> | undefined;

  async function poll(): Promise<SyncResult> {
    const before = requester.count;
    const state = await loadState();
    const known = state.snapshotId;
    const { snapshotId, list } = await readList();
    takeList(state, snapshotId, list);
    if (snapshotId !== known || hasPending(state)) await store.save(state);
    await readDetails(state, detailsToRead(state, refreshPerPoll));
    const hadPending = hasPending(state);
    const changes = takeChanges(state);
    if (hadPending) await store.save(state);
    const programs = new Map<string, ProgramDetail>();
    for (const [id, { item, detail }] of Object.entries(state.programs)) {
      if (detail !== null) programs.set(id, { ...detail, ...item });
    }
    const waitingForRefresh = Object.values(state.programs).filter(({ epoch }) => epoch < state.epoch).length;
    return { programs, snapshotId, ...changes, requests: requester.count - before, waitingForRefresh };
  }

  async function loadState(): Promise<ProgramsState> {
    const state = { ...emptyState(), ...(await store.load()) };
    if (state.source !== requester.source) {
      // Perhaps another company's, which may have the same ids: every detail is read anew.
      for (const program of Object.values(state.programs)) program.epoch = -1;
      state.source = requester.source;
    }
    return state;
  }

  async function readList(): Promise<{ snapshotId: string; list: ProgramListResponse }> {
    const { status, snapshotId, body } = await requester.get("/v1/programs", isList);
    // The list is never missing: this is another server, or another path of it. The copy stays as it is.
    if (status === 404)
      throw new ProgramsApiError("/v1/programs (is the base address right?)", status, "none");
    return { snapshotId, list: body as ProgramListResponse };
  }

  /**
   * What was read stays read, also when a later request fails. A single program that the server cannot answer is left for the
   * next poll, lest it holds up all others; when the next one fails, too, it is the server.
   */
  async function readDetails(state: ProgramsState, ids: readonly string[]): Promise<void> {
    // A save writes the whole copy: about 20 in the first poll of a large company.
    const saveEvery = Math.max(50, Math.ceil(ids.length / 20));
    let unsaved = 0;
    let failed: ProgramsApiError | undefined;
    try {
      for (const id of ids) {
        const path = `/v1/programs/${encodeURIComponent(id)}`;
        const answer = await requester.get(path, isDetail).catch((error: unknown) => {
          // What is there of it may be another company's.
          const mustBeRead = (state.programs[id]?.epoch ?? 0) < 0;
          if (!(error instanceof ProgramsApiError) || error.status < 500 || mustBeRead) throw error;
          if (failed !== undefined) throw failed;
          failed = error;
        });
        if (answer === undefined) continue;
        failed = undefined;
        const { status, snapshotId, body } = answer;
        // The API's own 404 names the snapshot that lacks the program; another one comes from a proxy on the way.
        if (status === 404 && snapshotId === "") throw new ProgramsApiError(path, status, "none");
        takeDetail(state, id, snapshotId, status === 404 ? undefined : (body as ProgramDetailResponse).data);
        unsaved += 1;
        if (unsaved % saveEvery === 0) await store.save(state);
      }
    } finally {
      if (unsaved % saveEvery !== 0) await store.save(state);
    }
  }

  return {
    sync() {
      underWay ??= poll().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}

function hasPending({ pending }: ProgramsState): boolean {
  return Object.keys(pending).length > 0;
}

function isList(body: unknown): boolean {
  const { data, meta } = Object(body) as Partial<ProgramListResponse>;
  return Array.isArray(data) && meta?.count === data.length;
}

function isDetail(body: unknown): boolean {
  const { data } = Object(body) as Partial<ProgramDetailResponse>;
  return typeof data?.id === "string";
}
