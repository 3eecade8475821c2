import { forEachBounded } from "../../../core/bounded-work.ts";
import { Failure, unlessFailed } from "../../../core/failure.ts";
import type { ProgramId } from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import type { TenantChanges } from "../../../schemas/generated/types.ts";
import { checkedProgram } from "../content/checked-program.ts";
import { type ListedProgram, listBodies, requireSmallLists } from "../content/lists.ts";
import { emptiedProblems, LiveTally, type PublicFacts, publicFacts } from "../guards/field-guard.ts";
import { type DataProblem, shownId } from "../public-program/problem.ts";
import { dataOf, responseBytes } from "../snapshot/stored-snapshot.ts";
import type { ReadProgram, StrayRows } from "../source/read-programs.ts";
import type { Attempt } from "./build-context.ts";
import { noPrograms, ProblemLog, type ProgramTally } from "./build-report.ts";
import { factsOf, findingsOf, isPublished, type ProgramLine, programLine } from "./memory.ts";
import type { Known } from "./read-next.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** What a build knows before it reads programs. */
interface Before extends Attempt, Known {
  /** The checksum of each program's rows, in the order of the ids' bytes. */
  readonly sums: ReadonlyMap<string | null, string>;
  readonly writer: ResponseWriter;
}

/**
 * Gathers a tenant's next content. Unchanged programs are taken over, since the memory vouches for them. The others are mapped,
 * rendered and checked, and a detail that the live snapshot lacks is stored at once. Nothing of this is visible before manifest
 * and pointer are written.
 */
export class NextSnapshot {
  /** What became of each program, in the order of the ids once everything was taken. */
  lines: ProgramLine[] = [];
  readonly counts: ProgramTally = { ...noPrograms };
  readonly problems = new ProblemLog();
  /** Programs with an error, as the source writes their ids; `null`: one without an id. */
  readonly leftOut: (string | null)[] = [];
  /** P20: programs of the live snapshot all of whose rows state that they are not to be published. */
  readonly withdrawn = new Set<string>();
  /** P144: the programs that the live snapshot does not have, and the digests of their details. */
  readonly added = new Map<ProgramId, string>();
  /** P140, P143: what the build changes in the programs that stay. */
  readonly tally = new LiveTally();
  readonly #changed: ProgramId[] = [];
  readonly #before: Before;
  #kept: readonly ProgramLine[] = [];
  /** The published programs that were read: their details, and their place in the lists. */
  readonly #taken = new ProgramTable();
  readonly #listed: ListedProgram[] = [];
  #listBytes = 0;
  /** Changed programs of which only the live detail says what partners see of them now. */
  readonly #uncompared: (readonly [programId: string, next: PublicFacts])[] = [];

  constructor(before: Before) {
    this.#before = before;
  }

  /** Takes over the programs whose rows have not changed, before the others are taken. */
  keep(kept: readonly ProgramLine[]): void {
    this.#kept = kept;
    this.lines = [...kept];
    for (const line of kept) if (isPublished(line)) this.counts.unchanged += 1;
  }

  /** Takes a program that was read. */
  async take(read: ReadProgram): Promise<void> {
    const { live, memory, options, writer, sums } = this.#before;
    const { programId: id } = read.source;
    const program = checkedProgram(read, options.rules);
    if (program.kind !== "published") {
      const problems = program.kind === "invalid" ? program.problems : [];
      this.lines.push(programLine(id, sums.get(id), program.kind, problems));
      return;
    }
    const { programId, rendered, data, departureDate, problems } = program;
    const { listItem, legacyItem, detailSha256: sha256 } = rendered;
    const facts = publicFacts(data);
    this.lines.push(programLine(programId, sums.get(id), facts, problems));
    this.#listed.push({ programId, departureDate, listItem, legacyItem });
    this.#listBytes += Buffer.byteLength(listItem) + Buffer.byteLength(legacyItem);
    requireSmallLists(this.#listed.length, this.#listBytes, options.rules.maxListBytes);
    const before = live?.programs.get(programId);
    const known = memory?.programs.get(programId);
    if (before === undefined) {
      this.added.set(programId, sha256);
    } else if (before.sha256 !== sha256) {
      this.#changed.push(programId);
      if (known !== undefined && isPublished(known)) this.tally.addChanged(programId, factsOf(known), facts);
      else this.#uncompared.push([programId, facts]);
    } else {
      this.counts.unchanged += 1;
      this.tally.addUnchanged(facts.parts);
      if (!options.rewrite) {
        this.#taken.add(programId, before);
        return;
      }
    }
    const bytes = Buffer.from(rendered.detail);
    const size = bytes.length;
    this.#taken.add(programId, { snapshotId: writer.snapshotId, sha256, size });
    await writer.put({ kind: "detail", programId }, { bytes, size, sha256 });
  }

  /** Called once, after the last program. On hold nothing will be published, so nothing is compared. */
  async finish(strays: readonly StrayRows[]): Promise<void> {
    const { counts, lines } = this;
    const { live, isHeld, sums } = this.#before;
    // The kept ones are in order.
    if (lines.length > this.#kept.length) sortLines(lines, sums);
    for (const line of lines) {
      const [id, , state] = line;
      if (state === "unpublished") counts.notPublishable += 1;
      if (state === "unpublished" && id !== null && live?.programs.has(id)) this.withdrawn.add(id);
      if (state === "invalid") this.leftOut.push(id);
      for (const problem of findingsOf(line)) this.problems.add(problem);
    }
    // D36
    for (const { view, programs, firstProgramId: programId } of strays) {
      const value = `${view}: ${programs} such program id(s), the first: ${shownId(programId)}`;
      this.problems.add({ code: "rows_of_unknown_program", programId, field: null, value });
    }
    counts.invalid = this.leftOut.length;
    counts.added = this.added.size;
    counts.changed = this.#changed.length;
    counts.programs = counts.unchanged + counts.changed + counts.added;
    counts.removed = (live?.programs.count ?? 0) - counts.unchanged - counts.changed;
    counts.withdrawn = this.withdrawn.size;
    if (!isHeld) await this.#compareWithLive();
    if (!this.tally.hasLosses) return;
    for (const line of this.#kept) if (isPublished(line)) this.tally.addUnchanged(factsOf(line).parts);
  }

  /** Whether the programs are those of the live snapshot, to the byte. */
  get isSame(): boolean {
    const { added, changed, removed } = this.counts;
    return this.#before.live !== undefined && added + changed + removed === 0;
  }

  /** P140, P143: warnings about what changes. They do not describe the source as it is, so no memory keeps them. */
  get changeProblems(): readonly DataProblem[] {
    const { counts, tally } = this;
    const ofCapacity = tally.capacityProblems(counts.unchanged + counts.changed);
    return [...emptiedProblems(tally.emptiedFields), ...ofCapacity];
  }

  /** The details of all programs, in the order of the ids. */
  programs(): ProgramTable {
    if (this.#kept.length === 0) return this.#taken;
    const all = new ProgramTable(this.counts.programs);
    for (const line of this.lines.filter(isPublished)) {
      const id = line[0] as ProgramId;
      const record = this.#taken.get(id) ?? this.#before.live?.programs.get(id);
      // The memory was held against the manifest when it was read.
      if (record === undefined) throw new RangeError(`program ${id} is remembered, and not live`);
      all.add(id, record);
    }
    return all;
  }

  /**
   * The lists of all programs. `live`: the live list's programs, of which the kept ones are taken over. Called at most once, since it
   * lets go of the texts, which take as much room as the lists.
   */
  lists(live: readonly ListedProgram[]) {
    const kept = new Set(this.#kept.filter(isPublished).map(([id]) => id));
    const taken = this.#listed.splice(0);
    const listed = [...taken, ...live.filter(({ programId }) => kept.has(programId))];
    // P223: a list that names other programs than the manifest is never published.
    if (listed.length !== this.counts.programs)
      throw new Failure(
        "internal",
        `The lists would have ${listed.length} of the ${this.counts.programs} programs.`,
      );
    const bodies = listBodies(listed);
    const { maxListBytes } = this.#before.options.rules;
    requireSmallLists(this.counts.programs, bodies.list.size + bodies.legacy.size, maxListBytes);
    return bodies;
  }

  /** P147: what the build would change for partners. A build that may not publish changes only what is withdrawn. */
  changes(isBlocked: boolean): TenantChanges {
    const withdrawn = [...this.withdrawn].sort();
    if (isBlocked) return { added: [], changed: [], removed: [], withdrawn };
    const stay = new Set([...this.lines.filter(isPublished).map(([id]) => id), ...withdrawn]);
    const removed = [...(this.#before.live?.programs.ids() ?? [])].filter((id) => !stay.has(id));
    return { added: [...this.added.keys()], changed: this.#changed, removed, withdrawn };
  }

  /** P140: without a memory, the live details of changed programs say what partners see of them now. */
  async #compareWithLive(): Promise<void> {
    const { live, context } = this.#before;
    await forEachBounded(this.#uncompared, maxParallelReads, async ([programId, next]) => {
      const entry = live && detailEntry(live, programId);
      if (entry === undefined) return;
      const reading = responseBytes(context.store, entry, context.signal);
      // Partners cannot read a damaged detail, so nothing of it can be lost.
      const bytes = await unlessFailed(reading, "corrupt_document");
      if (bytes === undefined) return;
      this.tally.addChanged(programId, publicFacts(dataOf(bytes, entry.key) as object), next);
    });
  }
}

function sortLines(lines: ProgramLine[], sums: Before["sums"]): void {
  const places = new Map<string | null, number>();
  for (const id of sums.keys()) places.set(id, places.size);
  const placeOf = ([id]: ProgramLine): number => places.get(id) ?? places.size;
  // Several programs may have no id.
  const isBehind = (a: ProgramLine, b: ProgramLine): boolean => JSON.stringify(a) > JSON.stringify(b);
  lines.sort((a, b) => placeOf(a) - placeOf(b) || (isBehind(a, b) ? 1 : -1));
}

/** Live details read side by side. */
const maxParallelReads = 16;
