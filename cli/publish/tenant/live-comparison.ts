import { detailEntry } from "../../../core/documents/manifest.ts";
import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { unlessFailed } from "../../../core/ground/failure.ts";
import type { ProgramId } from "../../../core/ground/ids.ts";
import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { parsedItem } from "../content/lists.ts";
import { type ChangedProgram, type ShownFields, shownFields } from "../guards/change-guard.ts";
import { LiveTally, type PublicFacts, publicFacts } from "../guards/field-guard.ts";
import { minPrograms } from "../guards/guards.ts";
import { dataOf, responseBytes } from "../snapshot/stored-snapshot.ts";
import type { BuildAttempt } from "./build-context.ts";
import { liveListed, type SourceChanges } from "./find-changes.ts";
import { factsOf, isPublished } from "./program-outcome.ts";

/** How the published programs that a build read differ from the live snapshot. */
export class LiveComparison {
  /** P144: the programs that the live snapshot does not have, and their names. */
  readonly added = new Map<ProgramId, string>();
  /** P140, P143: what the build changes in the programs that stay. Those that were not read are not in it. */
  readonly tally = new LiveTally();
  readonly #changes: SourceChanges;
  readonly #changed = new Map<ProgramId, ShownFields>();
  /** Changed programs of which only the live detail says what partners see of them now. */
  readonly #uncompared: [ProgramId, PublicFacts][] = [];
  #shown: readonly ChangedProgram[] = [];

  constructor(changes: SourceChanges) {
    this.#changes = changes;
  }

  /** The programs whose detail differs from the live one. */
  get changed(): readonly ProgramId[] {
    return [...this.#changed.keys()];
  }

  /** P225: the changed programs as partners see them now and would see them, if they are enough to matter. */
  get shown(): readonly ChangedProgram[] {
    return this.#shown;
  }

  add(programId: ProgramId, sha256: string, next: PublicFacts, data: ProgramListItem): void {
    const { live, memory } = this.#changes;
    const before = live?.programs.get(programId);
    if (before === undefined) {
      this.added.set(programId, data.name);
    } else if (before.sha256 === sha256) {
      this.tally.addUnchanged(next.parts);
    } else {
      this.#changed.set(programId, shownFields(data));
      const known = memory?.programs.get(programId);
      if (known !== undefined && isPublished(known)) this.tally.addChanged(programId, factsOf(known), next);
      else this.#uncompared.push([programId, next]);
    }
  }

  /** Reads what the comparison still needs of the live snapshot. Called once, after the last program. */
  async finish(attempt: BuildAttempt): Promise<void> {
    await this.#compareDetails(attempt);
    this.#shown = await this.#shownChanges(attempt);
  }

  /** P140: without a memory, the live details of changed programs say what partners see of them now. */
  async #compareDetails({ context }: BuildAttempt): Promise<void> {
    const { live } = this.#changes;
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

  /** P225: the live list says what partners see now. A build that reads every program reads it for this. */
  async #shownChanges(attempt: BuildAttempt): Promise<readonly ChangedProgram[]> {
    const { live, listed } = this.#changes;
    if (live === undefined || this.#changed.size < minPrograms) return [];
    // Partners cannot read a damaged list.
    const before = listed.size > 0 ? listed : await liveListed(attempt, live);
    return [...this.#changed].flatMap(([programId, after]) => {
      const now = before?.get(programId);
      return now === undefined ? [] : [{ programId, before: shownFields(parsedItem(now)), after }];
    });
  }
}

/** Live details read side by side. */
const maxParallelReads = 16;
