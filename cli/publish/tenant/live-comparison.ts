import { unlessFailed } from "../../../core/failure.ts";
import { detailEntry, type Manifest } from "../../../core/manifest.ts";
import type { TenantChanges } from "../../../schemas/generated/types.ts";
import { type PublicFacts, publicFacts } from "../content/public-facts.ts";
import { LiveTally } from "../guards/field-guard.ts";
import { fieldPattern } from "../public-program/field-words.ts";
import { jsonChanges } from "../snapshot/json-changes.ts";
import { dataOf, responseBytes } from "../snapshot/stored-response.ts";
import type { Attempt } from "./attempt.ts";
import { PutQueue } from "./response-writer.ts";
import { type EarlierParts, factsOf, isPublished, type RememberedProgram } from "./source-memory.ts";

/** Live details read side by side. */
const maxParallelReads = 16;
const maxParallelReadBytes = 16 * 1024 * 1024;

/**
 * P140: compares the programs of the next snapshot with the live ones as they come in. The generator's memory has what partners
 * see of a program now. Without a memory, the live details of changed programs are read while the source is read: one request
 * each, and none for a program whose bytes stay the same.
 */
export class LiveComparison {
  readonly tally = new LiveTally();
  readonly changed: TenantChanges["changed"][number][] = [];
  readonly #attempt: Attempt;
  /** Nothing is compared without a live manifest that can be trusted, and nothing on hold, when nothing is published. */
  readonly #live: Manifest | undefined;
  readonly #remembered: ReadonlyMap<string, RememberedProgram> | undefined;
  readonly #earlier: ReadonlyMap<string, bigint>;
  readonly #stillEarlier: [programId: string, parts: string][] = [];
  readonly #reads = new PutQueue(maxParallelReads, maxParallelReadBytes);

  constructor(attempt: Attempt) {
    const { memory, pointer, live } = attempt;
    this.#attempt = attempt;
    this.#live = pointer?.current.hold ? undefined : live.manifest;
    this.#remembered = memory?.kind === "programs" ? memory.programs : undefined;
    this.#earlier = new Map(memory?.earlier.map(([id, parts]) => [id, BigInt(`0x${parts}`)]));
  }

  /** A program that was read and whose bytes are those of the live one. */
  addSame(programId: string, facts: PublicFacts): void {
    if (this.#earlier.has(programId)) this.#compare(programId, facts, facts);
    else this.tally.addUnchanged(facts.parts);
  }

  /** A program of the live snapshot whose bytes change. `data`: of its next detail. */
  async addChanged(programId: string, facts: PublicFacts, data: object): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    // A dry run names the fields that change. The memory does not know them, so the live details are read.
    const namesFields = this.#attempt.options.dryRun;
    const remembered = namesFields ? undefined : this.#remembered?.get(programId);
    if (remembered !== undefined && isPublished(remembered)) {
      this.#compare(programId, factsOf(remembered), facts);
      return;
    }
    const size = live.programs.get(programId)?.size ?? 0;
    await this.#reads.add(size, async () => {
      const before = await this.#liveData(live, programId);
      if (namesFields) {
        this.changed.push({ programId, fields: before === undefined ? [] : changedFields(before, data) });
      }
      if (before !== undefined) this.#compare(programId, publicFacts(before), facts);
    });
  }

  /** Called once, after the last program. `kept`: the programs that the build takes over as they are. */
  async finish(kept: readonly RememberedProgram[]): Promise<void> {
    await this.#reads.settled();
    this.changed.sort((a, b) => (a.programId < b.programId ? -1 : 1));
    if (this.#earlier.size === 0 && !this.tally.hasLosses) return;
    for (const program of kept) if (isPublished(program)) this.addSame(program[0], factsOf(program));
  }

  /** Resolves when no read is under way; also awaited after a failure. */
  async settled(): Promise<void> {
    await this.#reads.settled();
  }

  /** P141: what the next memory says of the fields that were emptied since the whole source was last read. */
  get earlier(): EarlierParts {
    return this.#stillEarlier.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #compare(programId: string, live: PublicFacts, next: PublicFacts): void {
    const earlier = live.parts | (this.#earlier.get(programId) ?? 0n);
    this.tally.addChanged(programId, live, next, earlier);
    if ((earlier & ~next.parts) !== 0n) this.#stillEarlier.push([programId, earlier.toString(16)]);
  }

  /** `undefined` when the live detail is damaged: partners cannot read it, so nothing can be lost. */
  async #liveData(live: Manifest, programId: string): Promise<object | undefined> {
    const { store, signal } = this.#attempt.context;
    const entry = detailEntry(live, programId);
    if (entry === undefined) return undefined;
    const data = responseBytes(store, entry, signal).then((bytes) => dataOf(bytes, entry.key) as object);
    return await unlessFailed(data, "corrupt_document");
  }
}

/** The names of the fields that differ. A field of several elements of a list is named once. */
function changedFields(before: object, after: object): string[] {
  return [...new Set(jsonChanges(before, after).map(({ path }) => fieldPattern(path)))];
}
