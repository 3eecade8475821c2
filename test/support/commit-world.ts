import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { pruneTenant } from "../../cli/change/snapshots/prune-tenant.ts";
import { release, rollback } from "../../cli/change/snapshots/rollback.ts";
import { buildTenant } from "../../cli/publish/tenant/build-tenant.ts";
import { asFailure, Failure } from "../../core/ground/failure.ts";
import { parseTenantId } from "../../core/ground/ids.ts";
import { type CannedProgram, cannedOptions, cannedRows } from "./canned-source.ts";
import { createOracle, type Oracle } from "./commit-oracle.ts";
import {
  type Fault,
  faultsOf,
  type PendingCall,
  SimulatedStore,
  type StoredObject,
} from "./simulated-store.ts";
import { steadyBytes } from "./stored-text.ts";

/** Who takes part. */
export type ActorKind = "builder" | "prune" | "rollback" | "release";

export interface Scenario {
  readonly actors: Readonly<Record<string, ActorKind>>;
  /** Objects that are there at the beginning, with the version of the source that the live snapshot shows. */
  readonly start: { readonly objects: ReadonlyMap<string, StoredObject>; readonly version: number };
  /** How often the source changes while the actors work. */
  readonly changes: number;
  /** How many calls may go wrong, and how many actors may be killed, in one run. */
  readonly faults: number;
  readonly kills: number;
  /** Whether the puts of a build's own files go wrong, too: that ends the build, much as a kill does. */
  readonly faultyFiles: boolean;
  /**
   * Whether calls that one actor makes at the same time are performed in any order, or in that of making
   * them.
   */
  readonly anyOrder: boolean;
  readonly ignoresConditions?: boolean;
}

/** One thing that can happen next. */
export type Choice =
  | { readonly kind: "call"; readonly actor: string; readonly at: number; readonly fault?: Fault }
  | { readonly kind: "kill"; readonly actor: string }
  | { readonly kind: "late"; readonly at: number }
  | { readonly kind: "change" };

export const modelTenant = parseTenantId("model");

/**
 * The real code of builds, prunes, rollbacks and releases at work on one simulated store and one canned
 * source, stopped between any two calls. After every step the oracle holds what must always hold.
 */
export class CommitWorld {
  readonly store: SimulatedStore;
  readonly oracle: Oracle;
  readonly #scenario: Scenario;
  readonly #running = new Set<string>();
  readonly #ends = new Map<string, string>();
  /** Folders of snapshots that were there at first. */
  readonly #folders: ReadonlySet<string>;
  #version: number;
  #changes: number;
  #faults: number;
  #kills: number;

  constructor(scenario: Scenario) {
    const { start, changes, faults, kills } = scenario;
    this.#scenario = scenario;
    this.#version = start.version;
    [this.#changes, this.#faults, this.#kills] = [changes, faults, kills];
    this.store = new SimulatedStore(start.objects, scenario.ignoresConditions);
    this.#folders = new Set([...start.objects.keys()].map(folderOf));
    this.oracle = createOracle(this.store, modelTenant);
  }

  /** Lets all actors begin; each makes its first call. */
  async begin(): Promise<void> {
    for (const [name, kind] of Object.entries(this.#scenario.actors)) {
      this.#running.add(name);
      void this.#act(name, kind).then(
        (end) => this.#end(name, end),
        (error: unknown) => this.#end(name, this.oracle.failed(name, kind, asFailure(error))),
      );
    }
    await quiet();
    this.oracle.check();
  }

  /** What can happen next, always in the same order, plain calls first; empty when all is over. */
  choices(): readonly Choice[] {
    const { pending, late } = this.store;
    const calls = pending.map((call, at) => ({ call, at }));
    const next = this.#scenario.anyOrder
      ? calls
      : calls.filter(({ call }, at) => calls.findIndex((other) => other.call.actor === call.actor) === at);
    const alone = next.find(({ call }) => this.#concernsNobodyElse(call));
    if (alone !== undefined)
      return [plainly(alone), ...this.#faultsOf(alone), ...this.#killsOf([alone.call.actor])];
    return [
      ...next.map(plainly),
      ...next.flatMap((each) => this.#faultsOf(each)),
      ...(this.#changes > 0 && this.#running.size > 0 ? [{ kind: "change" } as const] : []),
      ...this.#killsOf([...this.#running]),
      ...late.map((_, at): Choice => ({ kind: "late", at })),
    ];
  }

  async take(choice: Choice): Promise<void> {
    switch (choice.kind) {
      case "call":
        if (choice.fault !== undefined) this.#faults -= 1;
        callAt(this.store.pending, choice.at).perform(choice.fault);
        break;
      case "kill":
        this.#kills -= 1;
        this.store.kill(choice.actor);
        this.#end(choice.actor, "killed");
        break;
      case "late":
        this.store.late.splice(choice.at, 1)[0]?.apply();
        break;
      case "change":
        this.#changes -= 1;
        this.#version += 1;
    }
    await quiet();
    this.oracle.check();
  }

  /** Two worlds of one scenario with the same key can only go on in the same ways. */
  key(): string {
    const hash = createHash("sha256");
    const add = (part: unknown): unknown => hash.update(`${JSON.stringify(part)}\n`);
    for (const key of [...this.store.objects.keys()].sort()) add([key, this.store.objects.get(key)?.etag]);
    add(this.store.late.map(({ target }) => target));
    for (const actor of Object.keys(this.#scenario.actors)) {
      // What a finished actor went through does not matter any more.
      add([actor, this.#ends.get(actor) ?? this.store.answers.get(actor) ?? []]);
      const calls = this.store.pending.filter((call) => call.actor === actor);
      add(calls.map(({ operation, target }) => `${operation} ${target}`));
    }
    add([this.#version, this.#changes, this.#faults, this.#kills, this.oracle.history()]);
    return hash.digest("base64");
  }

  /** How each actor ended. */
  ends(): ReadonlyMap<string, string> {
    return this.#ends;
  }

  /** The version of the source as it is now. */
  get version(): number {
    return this.#version;
  }

  #faultsOf({ call, at }: NextCall): readonly Choice[] {
    const faults: readonly Fault[] = this.#faults > 0 && this.#mayFail(call) ? faultsOf[call.operation] : [];
    return faults.map((fault) => ({ kind: "call", actor: call.actor, at, fault }));
  }

  /**
   * A read that fails ends its actor without effect, as a kill does; only the pointer's is answered by more.
   */
  #mayFail({ actor, operation, target }: PendingCall): boolean {
    if (target.endsWith("/current.json") || operation === "delete") return true;
    const isBuilder = this.#scenario.actors[actor] === "builder";
    return operation === "put" && (this.#scenario.faultyFiles || !isBuilder);
  }

  #killsOf(actors: readonly string[]): readonly Choice[] {
    return this.#kills === 0 ? [] : actors.map((actor) => ({ kind: "kill", actor }));
  }

  /**
   * Whether it makes no difference to anybody else when the call is performed, and none to the call what
   * others do before it: then it is enough to look at what follows when it is performed at once, instead of
   * at every point in time.
   */
  #concernsNobodyElse({ actor, operation, target }: PendingCall): boolean {
    if (operation === "reading") return this.#changes === 0;
    const others = [...this.#running].filter((name) => name !== actor);
    const kinds = others.map((name) => this.#scenario.actors[name]);
    // Prunes and rollbacks look at all folders, and write into them. Builders write into folders of their
    // own.
    if (target.endsWith("/current.json") || kinds.includes("prune") || kinds.includes("rollback"))
      return false;
    const isAwaited = this.store.late.some((effect) => effect.target.split(" ").includes(target));
    return operation === "put" || (operation === "get" && this.#folders.has(folderOf(target)) && !isAwaited);
  }

  #end(name: string, end: string): void {
    if (this.#running.delete(name)) this.#ends.set(name, end);
  }

  async #act(name: string, kind: ActorKind): Promise<string> {
    const store = this.store.client(name);
    const { now, randomBytes } = deterministic(name);
    const signal = new AbortController().signal;
    const context = { store, now, randomBytes, signal };
    switch (kind) {
      case "builder": {
        let read = 0;
        const withRows = cannedRows(
          () => programsOf(read),
          () =>
            this.store.step(name, "source", () => {
              read = this.#version;
              return String(read);
            }),
        );
        const run = await buildTenant(modelTenant, cannedOptions, {
          ...context,
          withRows,
          onProgress: () => {},
        });
        return this.oracle.built(name, run, read);
      }
      case "prune": {
        const result = await pruneTenant(
          modelTenant,
          { keep: 1, minAgeMs: 0 },
          { ...context, dryRun: false },
        );
        return this.oracle.pruned(result);
      }
      case "rollback":
        return (await rollback(modelTenant, { allowShrink: true }, context)).outcome;
      case "release":
        return (await release(modelTenant, context)).outcome;
    }
  }
}

/** The folder of a snapshot's object: `tenants/<tenant>/snapshots/<snapshot>`. */
const folderOf = (key: string): string => key.split("/", 4).join("/");

/** The source at a version: one program that changes with it, and one that never does. */
export function programsOf(version: number): readonly CannedProgram[] {
  return [
    { programId: "changing", name: `Version ${version}` },
    { programId: "constant", name: "Constant" },
  ];
}

/** Time and randomness of an actor that depend on nothing but how often it asked. */
export function deterministic(name: string, now = new Date(Date.UTC(2030, 0, 1))) {
  return { now: () => now, randomBytes: steadyBytes(name) };
}

interface NextCall {
  readonly call: PendingCall;
  /** Its place among all pending calls. */
  readonly at: number;
}

const plainly = ({ call, at }: NextCall): Choice => ({ kind: "call", actor: call.actor, at });

function callAt(pending: readonly PendingCall[], at: number): PendingCall {
  const call = pending[at];
  if (call === undefined) throw new Failure("internal", "no such call");
  return call;
}

/**
 * All that the actors can do without an answer is done: they use no timers and no I/O but the simulated
 * store.
 */
async function quiet(): Promise<void> {
  await setImmediate();
}
