import { isProgramId, type ProgramId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { shortened } from "../../../core/printable.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import type { TenantChanges } from "../../../schemas/generated/types.ts";
import { checkedProgram } from "../content/checked-program.ts";
import type { ListBodies, ListElements } from "../content/list-form.ts";
import { ListResponses } from "../content/list-responses.ts";
import type { ProblemLog } from "../content/problem-log.ts";
import { noPrograms, type ProgramTally } from "../content/program-counts.ts";
import { publicFacts } from "../content/public-facts.ts";
import { type EmptiedField, emptiedProblems } from "../guards/field-guard.ts";
import { AddedPrograms } from "../guards/shared-guard.ts";
import type { DataProblem } from "../public-program/problem.ts";
import { shownId } from "../public-program/shown-id.ts";
import { compareIds } from "../source/contract.ts";
import type { StrayRows } from "../source/program-sums.ts";
import type { ReadProgram } from "../source/read-programs.ts";
import type { Attempt } from "./attempt.ts";
import type { BuildOptions } from "./build-options.ts";
import { LiveComparison } from "./live-comparison.ts";
import type { ResponseWriter } from "./response-writer.ts";
import {
  type EarlierParts,
  findingsOf,
  isPublished,
  maxRememberedFindings,
  type RememberedProgram,
  rememberedPublished,
} from "./source-memory.ts";
import type { SourceReading } from "./source-reading.ts";

/**
 * Gathers the next content of a tenant, in the order of the program ids. Unchanged programs are taken over, because the memory
 * vouches for them. The others are mapped, rendered and checked, and a detail that the live snapshot lacks is stored at once.
 * Nothing of this is visible before manifest and pointer are written.
 */
export class TenantContent {
  readonly programs = new ProgramTable();
  /** What the next memory says of the programs, by id. */
  readonly remembered: RememberedProgram[] = [];
  /** Programs with an error, as the source writes their ids; `null`: one without an id. */
  readonly leftOut: (string | null)[] = [];
  readonly counts: ProgramTally = { ...noPrograms };
  /**
   * P20: programs of the live snapshot all of whose rows state that they are not to be published. Until `finish`, one such row is
   * enough, which another row of the same program may contradict.
   */
  readonly withdrawn = new Set<string>();
  /** Programs that the next memory has no line for. */
  readonly unlisted: string[] = [];
  /** P144: the programs that the live snapshot does not have. */
  readonly added = new AddedPrograms();
  readonly #parent: Manifest | undefined;
  readonly #options: BuildOptions;
  readonly #reading: SourceReading;
  readonly #problems: ProblemLog;
  readonly #writer: ResponseWriter;
  readonly #comparison: LiveComparison;
  readonly #lists: ListResponses;
  /** The findings of several programs with the same id, until the last of them was read. */
  #duplicates: { readonly id: string; readonly problem: DataProblem }[] = [];
  #nextKept = 0;

  constructor(attempt: Attempt, reading: SourceReading, problems: ProblemLog, writer: ResponseWriter) {
    const { live, options } = attempt;
    this.#parent = live.manifest;
    this.#options = options;
    this.#reading = reading;
    this.#lists = new ListResponses(options.rules.maxListBytes);
    this.#problems = problems;
    this.#writer = writer;
    this.#comparison = new LiveComparison(attempt);
  }

  /** Takes a program that was read. Programs come in the order of their ids. */
  async take(read: ReadProgram): Promise<void> {
    const parent = this.#parent;
    const { rules, rewrite } = this.#options;
    const id = read.source.programId;
    if (this.#duplicates.at(-1)?.id !== id) this.#reportDuplicates();
    // A program without an id comes last.
    this.#keepUpTo(id ?? undefined);
    const sum = id === null ? undefined : this.#reading.sumOf(id);
    const outcome = checkedProgram(read, rules, parent);
    if (outcome.kind === "unpublished") {
      this.counts.notPublishable += 1;
      if (id !== null && parent?.programs.has(id)) this.withdrawn.add(id);
      // A line of the memory has a well-formed id. A memory with any other id would count as damaged.
      if (id === null || sum === undefined || read.isDuplicate || !isProgramId(id)) this.#unlist(id);
      else this.remembered.push([id, sum, outcome.state]);
      return;
    }
    for (const problem of outcome.problems) {
      if (read.isDuplicate && id !== null) this.#duplicates.push({ id, problem });
      else this.#problems.add(problem);
    }
    if (outcome.kind === "invalid") {
      // Rows of one id are one program.
      if (id === null || this.leftOut.at(-1) !== id) {
        this.counts.invalid += 1;
        this.leftOut.push(id);
      }
      this.#unlist(id);
      return;
    }
    const { programId, rendered, data, departureDate, problems } = outcome;
    const facts = publicFacts(data);
    this.#lists.add(programId, departureDate, rendered.listItem, rendered.legacyItem);
    if (sum === undefined || problems.length > maxRememberedFindings) this.#unlist(programId);
    else this.remembered.push(rememberedPublished(programId, sum, departureDate, facts, problems));
    const before = parent?.programs.get(programId);
    const isSame = before?.sha256 === rendered.detailSha256;
    if (isSame) this.counts.unchanged += 1;
    else this.counts[before === undefined ? "added" : "changed"] += 1;
    if (isSame) this.#comparison.addSame(programId, facts);
    else if (before === undefined)
      this.added.add(programId, { name: data.name, sha256: rendered.detailSha256 });
    else await this.#comparison.addChanged(programId, facts, data);
    if (isSame && !rewrite) {
      this.programs.add(programId, before);
      return;
    }
    const bytes = Buffer.from(rendered.detail);
    const body = { bytes, size: bytes.length, sha256: rendered.detailSha256 };
    this.programs.add(programId, {
      snapshotId: this.#writer.snapshotId,
      sha256: body.sha256,
      size: body.size,
    });
    await this.#writer.put({ kind: "detail", programId }, body);
  }

  /** Called once, after the last program. */
  async finish(strays: readonly StrayRows[]): Promise<void> {
    this.#reportDuplicates();
    this.#keepUpTo(undefined);
    await this.#comparison.finish(this.#reading.kept);
    reportStrays(strays, this.#problems);
    this.counts.programs = this.programs.count;
    const parent = this.#parent;
    const { unchanged, changed } = this.counts;
    this.counts.removed = parent === undefined ? 0 : parent.programs.count - unchanged - changed;
    for (const id of this.leftOut) if (id !== null) this.withdrawn.delete(id);
    this.counts.withdrawn = this.withdrawn.size;
  }

  /** Resolves when no read of a live detail is under way; also awaited after a failure. */
  async settled(): Promise<void> {
    await this.#comparison.settled();
  }

  /** P140: the fields that the changes empty for most of the programs that have them. */
  get emptiedFields(): readonly EmptiedField[] {
    return this.#comparison.tally.emptiedFields;
  }

  /** P142, P143: warnings about what changes. They do not describe the source as it is, so no memory keeps them. */
  get changeProblems(): readonly DataProblem[] {
    const { unchanged, changed } = this.counts;
    const capacity = this.#comparison.tally.capacityProblem(unchanged + changed);
    return [...emptiedProblems(this.emptiedFields), ...(capacity === undefined ? [] : [capacity])];
  }

  /** P141: the parts that builds of single programs have emptied so far. */
  get earlier(): EarlierParts {
    return this.#comparison.earlier;
  }

  /** P147: what the build would change for partners. A build that may not publish changes only what is withdrawn. */
  changes(isBlocked: boolean): TenantChanges {
    const withdrawn = [...this.withdrawn].sort() as ProgramId[];
    if (isBlocked) return { added: [], changed: [], removed: [], withdrawn };
    const live = this.#parent?.programs;
    return {
      added: [...this.programs.ids()].filter((id) => live?.has(id) !== true),
      changed: this.#comparison.changed,
      removed: [...(live?.ids() ?? [])].filter((id) => !this.programs.has(id) && !this.withdrawn.has(id)),
      withdrawn,
    };
  }

  /** `live`: the elements of the live lists, from which kept programs take theirs. */
  lists(live: ReadonlyMap<string, ListElements>): ListBodies {
    const kept = this.#reading.kept.filter(isPublished).map(([programId, , , departureDate]) => {
      const elements = live.get(programId);
      if (elements === undefined) throw new RangeError(`program ${programId} is kept, and in no live list`);
      return { programId, departureDate, elements };
    });
    return this.#lists.finish(kept);
  }

  /** Whether the programs are those of the parent, to the byte. */
  get hasParentsPrograms(): boolean {
    const { added, changed, removed } = this.counts;
    return this.#parent !== undefined && added + changed + removed === 0;
  }

  /** Reports what rows of one id have wrong, each finding once, in the order of their text: the database gives such rows in any order. */
  #reportDuplicates(): void {
    const byText = new Map(this.#duplicates.map(({ problem }) => [JSON.stringify(problem), problem]));
    for (const [, problem] of [...byText].sort(([a], [b]) => (a < b ? -1 : 1))) this.#problems.add(problem);
    this.#duplicates = [];
  }

  #unlist(id: string | null): void {
    if (id !== null && this.unlisted.at(-1) !== id) this.unlisted.push(id);
  }

  /** `undefined` takes over all that are left. */
  #keepUpTo(id: string | undefined): void {
    const { kept } = this.#reading;
    for (let next = kept[this.#nextKept]; next !== undefined; next = kept[this.#nextKept]) {
      if (id !== undefined && compareIds(next[0], id) > 0) return;
      this.#keep(next);
      this.#nextKept += 1;
    }
  }

  #keep(program: RememberedProgram): void {
    this.remembered.push(program);
    if (!isPublished(program)) {
      this.counts.notPublishable += 1;
      return;
    }
    const [id] = program;
    const before = this.#parent?.programs.get(id);
    // The memory was held against the manifest when it was read.
    if (before === undefined) throw new RangeError(`program ${id} is remembered, and not live`);
    this.counts.unchanged += 1;
    this.programs.add(id as ProgramId, before);
    for (const problem of findingsOf(program)) this.#problems.add(problem);
  }
}

/** The report schema allows at most this many characters in a value. */
const maxValueLength = 200;

/** D36: reports rows that belong to no program. */
function reportStrays(strays: readonly StrayRows[], problems: ProblemLog): void {
  for (const { view, programs, firstProgramId } of strays) {
    const first = shownId(firstProgramId);
    const value = shortened(`${view}: ${programs} such program id(s), the first: ${first}`, maxValueLength);
    problems.add({ code: "rows_of_unknown_program", programId: firstProgramId, field: null, value });
  }
}
