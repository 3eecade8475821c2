import type { ProgramId, SnapshotId, TenantId } from "../../core/ids.ts";
import type { Manifest, ResponseEntry } from "../../core/manifest.ts";
import { bytesBody } from "../../core/object-body.ts";
import { type ResponseName, responseKey } from "../../core/object-key.ts";
import type { ObjectBody, ObjectStore } from "../../core/object-store.ts";
import { ProgramTable } from "../../core/program-table.ts";
import type { ProgramCounts } from "../../schemas/generated/types.ts";
import { publishedContract } from "../../schemas/generated/validators-published.ts";
import { type DataProblem, shownValue } from "../public-program/problem.ts";
import { type PublicProgram, publicProgram } from "../public-program/public-program.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";
import type { ReadProgram, StrayRows } from "../source/read-programs.ts";
import type { SourceLimits } from "../source/source-limits.ts";
import type { ContentRules } from "./content-rules.ts";
import { ListResponses } from "./list-responses.ts";
import type { ProblemLog } from "./problem-log.ts";
import { noPrograms, type ProgramTally } from "./program-counts.ts";
import { createPutQueue } from "./put-queue.ts";
import { type RenderedProgram, renderedProgram } from "./rendered-program.ts";
import { schemaViolation } from "./schema-violation.ts";

export interface SnapshotPlan {
  readonly tenantId: TenantId;
  readonly snapshotId: SnapshotId;
  readonly generation: number;
  readonly generatedAt: string;
  /** What is live, whether its manifest can be trusted or not. */
  readonly parentId: SnapshotId | null;
  /** Its manifest, if that can be trusted: what is counted against, and unchanged files are taken over from it. */
  readonly parent: Manifest | undefined;
  /** Take nothing over: every file is written anew, also an unchanged one. */
  readonly rewrite: boolean;
  readonly rules: ContentRules;
}

export interface PreparedSnapshot {
  readonly manifest: Omit<Manifest, "source">;
  readonly counts: ProgramCounts;
  /** Nothing differs from the parent, so nothing was written and nothing is to be committed. */
  readonly isUnchanged: boolean;
}

export interface Writer {
  /** `undefined` in a dry run. */
  readonly store: ObjectStore | undefined;
  /** Called once before the first write; throws when the store must not be written to. */
  readonly beforeFirstWrite: () => Promise<void>;
  readonly onProgress: (programs: number) => void;
  readonly onWritten: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** Puts under way at a time, of one tenant. */
const maxParallelPuts = 32;
const maxParallelPutBytes = 16 * 1024 * 1024;

/**
 * Maps, renders and checks every program as it streams in, and stores the responses that the parent does not have.
 * Nothing of it is visible: that takes the manifest and the pointer. An invalid program ends in the problem log and in
 * `counts.invalid`; whether that fails the build is the caller's decision.
 */
export async function prepareSnapshot(
  plan: SnapshotPlan,
  batches: AsyncGenerator<readonly ReadProgram[], readonly StrayRows[]>,
  problems: ProblemLog,
  writer: Writer,
): Promise<PreparedSnapshot> {
  const { parent, parentId, rules } = plan;
  const programs = new ProgramTable();
  const counts: ProgramTally = { ...noPrograms };
  const puts = createPutQueue(maxParallelPuts, maxParallelPutBytes);
  using lists = new ListResponses();

  async function store(name: ResponseName, body: ObjectBody): Promise<ResponseEntry> {
    const key = responseKey(plan.tenantId, plan.snapshotId, name);
    const { store: target, signal } = writer;
    if (target !== undefined) {
      await writer.beforeFirstWrite();
      // A file lies on the disk, and is read as it is sent.
      await puts.add(body.kind === "bytes" ? body.size : 0, async () => {
        await putImmutable(target, key, body, signal);
        writer.onWritten(body.size);
      });
    }
    return { key, sha256: body.sha256, size: body.size };
  }

  async function take(read: ReadProgram): Promise<void> {
    const outcome = checkedProgram(read, rules, parent);
    if (outcome.kind === "unpublished") {
      counts.notPublishable += 1;
      return;
    }
    for (const problem of outcome.problems) problems.add(problem);
    if (outcome.kind === "invalid") {
      counts.invalid += 1;
      return;
    }
    const { programId, rendered } = outcome;
    lists.add(rendered, outcome.departureDate);
    const before = parent?.programs.get(programId);
    const isSame = before?.sha256 === rendered.detailSha256;
    if (isSame) counts.unchanged += 1;
    else counts[before === undefined ? "added" : "changed"] += 1;
    if (isSame && !plan.rewrite) {
      programs.add(programId, before);
      return;
    }
    const body = bytesBody(Buffer.from(rendered.detail));
    programs.add(programId, { snapshotId: plan.snapshotId, sha256: body.sha256, size: body.size });
    await store({ kind: "detail", programId }, body);
  }

  /** P7: the parent's entry when it has the same bytes and may be taken over. */
  async function storeUnlessSame(
    name: ResponseName,
    body: ObjectBody,
    before: ResponseEntry | undefined,
  ): Promise<ResponseEntry> {
    return before?.sha256 === body.sha256 && !plan.rewrite ? before : await store(name, body);
  }

  try {
    reportStrays(await forEachProgram(batches, take, writer), problems);
    counts.programs = programs.count;
    counts.removed = parent === undefined ? 0 : parent.programs.count - counts.unchanged - counts.changed;
    const bodies = lists.finish();
    const list = await storeUnlessSame({ kind: "list" }, bodies.list, parent?.list);
    const legacy = await storeUnlessSame({ kind: "legacy" }, bodies.legacy, parent?.legacy);
    await puts.settled();
    const { tenantId, snapshotId, generation, generatedAt } = plan;
    const isUnchanged =
      list === parent?.list &&
      legacy === parent.legacy &&
      counts.added + counts.changed + counts.removed === 0;
    return {
      manifest: {
        tenantId,
        generation,
        snapshotId,
        parent: parentId,
        generatedAt,
        contract: publishedContract,
        list,
        legacy,
        programs,
      },
      counts,
      isUnchanged,
    };
  } finally {
    // Also after a failure, no write may still be under way when the spools' files are removed.
    await puts.settled().catch(() => {});
  }
}

export type CheckedProgram =
  | Exclude<PublicProgram, { kind: "published" }>
  | (Pick<Extract<PublicProgram, { kind: "published" }>, "kind" | "programId" | "problems"> & {
      readonly rendered: RenderedProgram;
      readonly departureDate: string | null;
    });

/**
 * What becomes of a program: its responses, held against their schemas, or why it has none. What `parent` vouches for is
 * not checked again.
 */
export function checkedProgram(
  { source, isDuplicate }: ReadProgram,
  rules: ContentRules,
  parent?: Manifest,
): CheckedProgram {
  const program = publicProgram(source, rules);
  if (program.kind !== "published") return program;
  const { kind, programId, problems, listItem } = program;
  // D3: which children belong to which is not known.
  if (isDuplicate) {
    const problem = { code: "program_id_duplicate", programId, field: "id", value: programId } as const;
    return { kind: "invalid", problems: [problem] };
  }
  const rendered = renderedProgram(program, rules.legacyCapacity);
  const large = oversizeProblem(rendered, programId, rules.limits);
  if (large !== undefined) return { kind: "invalid", problems: [large] };
  const broken = isVouchedFor(rendered, programId, parent) ? undefined : schemaViolation(rendered, programId);
  if (broken !== undefined) return { kind: "invalid", problems: [broken] };
  return { kind, programId, problems, rendered, departureDate: listItem.departureDate };
}

/** D37: some of the data takes more room in the finished document than in the source. */
function oversizeProblem(
  { detail }: RenderedProgram,
  programId: ProgramId,
  { maxProgramBytes }: SourceLimits,
): DataProblem | undefined {
  // No UTF-16 code unit takes more than three bytes in UTF-8.
  if (detail.length * 3 <= maxProgramBytes) return undefined;
  const bytes = Buffer.byteLength(detail);
  if (bytes <= maxProgramBytes) return undefined;
  const value = `JSON: ${bytes} bytes, limit ${maxProgramBytes}`;
  return { code: "program_too_large", programId, field: null, value };
}

/**
 * Whether the parent's build has held these very bytes against these very schemas. Reading them back takes a fifth of the
 * time of an unchanged build. The list's element needs no look of its own: the detail begins with its text.
 */
function isVouchedFor(
  rendered: RenderedProgram,
  programId: ProgramId,
  parent: Manifest | undefined,
): boolean {
  return (
    parent?.contract === publishedContract && parent.programs.get(programId)?.sha256 === rendered.detailSha256
  );
}

async function forEachProgram(
  batches: AsyncGenerator<readonly ReadProgram[], readonly StrayRows[]>,
  take: (read: ReadProgram) => Promise<void>,
  writer: Writer,
): Promise<readonly StrayRows[]> {
  for (;;) {
    const batch = await batches.next();
    if (batch.done === true) return batch.value;
    writer.signal.throwIfAborted();
    for (const read of batch.value) await take(read);
    writer.onProgress(batch.value.length);
  }
}

/** D36: they belong to nothing that is published. */
function reportStrays(strays: readonly StrayRows[], problems: ProblemLog): void {
  for (const { view, programs, firstProgramId } of strays) {
    const programId = shownValue(firstProgramId);
    const value = `${view}: ${programs} such program id(s), the first: ${programId}`;
    problems.add({ code: "rows_of_unknown_program", programId, field: null, value });
  }
}
