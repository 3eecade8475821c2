import { Failure } from "../../core/ground/failure.ts";
import { objectInMemory, sha256Hex } from "../../core/store/object-body.ts";
import type {
  ETag,
  GetResult,
  ListedObject,
  ObjectStore,
  PutCondition,
} from "../../core/store/object-store.ts";

/** How a call can go wrong. What is not listed for an operation can't happen to it. */
export const faultsOf = {
  get: ["failed"],
  list: ["failed"],
  put: ["failed", "lost", "late", "refused_though_applied"],
  delete: ["failed", "lost", "late"],
  /** Not a call to the store: a reading of the source, which takes its turn like one. */
  reading: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Operation = keyof typeof faultsOf;

/**
 * `failed`: no effect, an error. `lost`: done, but an error instead of the answer. `late`: an error, and done
 * at some later time or never. `refused_though_applied`: a conditional put is done, and answered as if its
 * condition had not held.
 */
export type Fault = (typeof faultsOf)[Operation][number];

/** A call that an actor waits for. Nothing happens to it until the scheduler performs it. */
export interface PendingCall {
  readonly actor: string;
  readonly operation: Operation;
  /** The key, the prefix, or the keys. */
  readonly target: string;
  readonly perform: (fault: Fault | undefined) => void;
  /** What it would do to the store, for when the actor is dead or the call is late; `undefined` for reads. */
  readonly effect: (() => void) | undefined;
}

export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: ETag;
}

/**
 * An object store in memory with exactly the semantics of the port, on which every call waits for the
 * scheduler: it decides which one is next and how it goes wrong. So interleavings, lost and late replies and
 * kills are *chosen*, and the same choices give the same run.
 */
export class SimulatedStore {
  readonly objects: Map<string, StoredObject>;
  readonly pending: PendingCall[] = [];
  /** Effects of calls that were given up: each may still happen. */
  readonly late: { readonly target: string; readonly apply: () => void }[] = [];
  /** What each actor has been answered so far: with the code, that is the state it is in. */
  readonly answers = new Map<string, string[]>();

  readonly #ignoresConditions: boolean;

  /** `ignoresConditions`: takes every conditional put, as stores do that do not know the headers. */
  constructor(objects: ReadonlyMap<string, StoredObject> = new Map(), ignoresConditions = false) {
    this.objects = new Map(objects);
    this.#ignoresConditions = ignoresConditions;
  }

  /** The store as one actor sees it. */
  client(actor: string): ObjectStore {
    return {
      address: "simulated:",
      get: (key, options) =>
        this.#call<GetResult>(actor, "get", key, () => {
          const found = this.objects.get(key);
          if (found === undefined) return [{ kind: "missing" }, "missing"];
          if (found.etag === options?.ifNoneMatch) return [{ kind: "not_modified" }, "not modified"];
          const { bytes, etag } = found;
          const head = { kind: "object", etag, size: bytes.length, modifiedAt } as const;
          return [objectInMemory(head, bytes), etag];
        }),
      put: async (key, { bytes }, options) => {
        const etag = sha256Hex(bytes);
        const condition = options?.condition;
        return await this.#mutate(actor, "put", key, {
          holds: () => this.#holds(key, condition),
          apply: () => this.objects.set(key, { bytes, etag }),
          done: { kind: "stored", etag },
          refused: { kind: "refused" },
        });
      },
      copy: async () => {
        throw new Error("no actor of the model copies");
      },
      delete: (keys) =>
        this.#mutate(actor, "delete", keys.join(" "), {
          holds: () => true,
          apply: () => {
            for (const key of keys) this.objects.delete(key);
          },
          done: undefined,
          refused: undefined,
        }),
      list: (prefix, options) => this.#list(actor, prefix, options?.after ?? ""),
      listFolders: (prefix) => this.#listFolders(actor, prefix),
      tidy: async () => {},
      close: async () => {},
    };
  }

  /** A step of an actor that takes its turn among the calls. */
  async step(actor: string, name: string, work: () => string): Promise<void> {
    await this.#call<void>(actor, "reading", name, () => [undefined, work()]);
  }

  /** Gives up the actor's calls, as its death does: what they would have changed may still happen. */
  kill(actor: string): void {
    for (const call of [...this.pending]) {
      if (call.actor !== actor) continue;
      this.pending.splice(this.pending.indexOf(call), 1);
      if (call.effect !== undefined) this.late.push({ target: call.target, apply: call.effect });
    }
  }

  #holds(key: string, condition: PutCondition | undefined): boolean {
    const found = this.objects.get(key);
    if (this.#ignoresConditions) return true;
    if (condition?.kind === "absent") return found === undefined;
    return condition === undefined || found?.etag === condition.etag;
  }

  async *#list(actor: string, prefix: string, after: string): AsyncGenerator<ListedObject> {
    yield* await this.#call<readonly ListedObject[]>(actor, "list", prefix, () => {
      const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
      const listed = keys.map((key) => ({ key, size: this.objects.get(key)?.bytes.length ?? 0, modifiedAt }));
      return [listed, keys.join(" ")];
    });
  }

  async *#listFolders(actor: string, prefix: string): AsyncGenerator<string> {
    yield* await this.#call<readonly string[]>(actor, "list", `${prefix}*/`, () => {
      const below = [...this.objects.keys()].filter((key) => key.startsWith(prefix));
      const names = below.map((key) => key.slice(prefix.length)).filter((rest) => rest.includes("/"));
      const folders = [...new Set(names.map((rest) => rest.split("/", 1)[0] ?? ""))].sort();
      return [folders, folders.join(" ")];
    });
  }

  #mutate<Result>(
    actor: string,
    operation: "put" | "delete",
    target: string,
    mutation: { holds: () => boolean; apply: () => void; done: Result; refused: Result },
  ): Promise<Result> {
    const { holds, apply, done, refused } = mutation;
    const effect = (): boolean => {
      const isDone = holds();
      if (isDone) apply();
      return isDone;
    };
    return this.#enqueue<Result>(actor, operation, target, effect, (fault) => {
      switch (fault) {
        case "failed":
          return unavailable;
        case "lost":
          effect();
          return unavailable;
        case "late":
          this.late.push({ target, apply: effect });
          return unavailable;
        case "refused_though_applied":
          effect();
          return [refused, "refused"];
        case undefined:
          return effect() ? [done, "done"] : [refused, "refused"];
      }
    });
  }

  #call<Result>(
    actor: string,
    operation: Operation,
    target: string,
    run: () => readonly [Result, string],
  ): Promise<Result> {
    return this.#enqueue<Result>(actor, operation, target, undefined, (fault) =>
      fault === undefined ? run() : unavailable,
    );
  }

  #enqueue<Result>(
    actor: string,
    operation: Operation,
    target: string,
    effect: (() => void) | undefined,
    answer: (fault: Fault | undefined) => readonly [Result, string] | typeof unavailable,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const call: PendingCall = {
        actor,
        operation,
        target,
        effect,
        perform: (fault) => {
          this.pending.splice(this.pending.indexOf(call), 1);
          const answered = answer(fault);
          const text = answered === unavailable ? "unavailable" : answered[1];
          const answers = this.answers.get(actor);
          if (answers === undefined) this.answers.set(actor, [`${operation} ${target} ${text}`]);
          else answers.push(`${operation} ${target} ${text}`);
          if (answered === unavailable) reject(new Failure("store_unavailable", `${operation}: no answer.`));
          else resolve(answered[0]);
        },
      };
      this.pending.push(call);
    });
  }
}

/** Everything is as old as can be: what spares young objects must not be what keeps a test green. */
const modifiedAt = new Date(0);
const unavailable = Symbol("unavailable");
