import type { Current } from "../../core/current.ts";
import { asFailure } from "../../core/failure.ts";
import { snapshotId, type TenantId } from "../../core/ids.ts";
import { type Manifest, manifestText } from "../../core/manifest.ts";
import { sha256Hex } from "../../core/object-body.ts";
import { manifestKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { ProgramCounts } from "../../schemas/generated/types.ts";
import type { SourcePool } from "../database/connect.ts";
import { commit } from "../snapshot/commit.ts";
import { type PointerVersion, readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";
import { readPrograms } from "../source/read-programs.ts";
import { readSourceDigest } from "../source/read-source-digest.ts";
import type { ContentRules } from "./content-rules.ts";
import { guardInvalid, guardShrink } from "./guards.ts";
import { prepareSnapshot } from "./prepare-snapshot.ts";
import { type Findings, ProblemLog } from "./problem-log.ts";
import { noPrograms } from "./program-counts.ts";
import { Spool } from "./spool.ts";

export interface BuildOptions {
  readonly onInvalid: "fail" | "skip";
  readonly allowShrink: boolean;
  /** Writes every file anew: how a damaged one is mended that a build would take over as unchanged. */
  readonly rewrite: boolean;
  readonly dryRun: boolean;
  /**
   * The programs that are said to have changed since the live snapshot was built, when nothing else did; used only where
   * the generator's memory of the source is valid.
   */
  readonly hintedPrograms: ReadonlySet<string> | undefined;
  readonly rules: ContentRules;
  /** See `recipeDigest`. */
  readonly recipe: string;
}

/** What a build works with; time and randomness come from outside so that a build can be repeated exactly. */
export interface BuildContext {
  readonly pool: SourcePool;
  readonly store: ObjectStore;
  /** Called before each tenant's first write; cheap after the first time. */
  readonly beforeFirstWrite: () => Promise<void>;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onProgress: (programs: number) => void;
  readonly signal: AbortSignal;
}

/** How an attempt ended. `superseded`: another builder or a prune was faster, and nothing of it is visible. */
export type AttemptOutcome = "published" | "unchanged" | "held" | "would-publish" | "superseded";

/** What an attempt has found out so far. It is filled in as the attempt goes on, since a failed one is reported, too. */
export interface AttemptRecord {
  /** The pointer that the attempt began with, and the one that it made. */
  before: Current | undefined;
  after: Current | undefined;
  counts: ProgramCounts;
  bytesWritten: number;
  readonly problems: ProblemLog;
  /** The live manifest could not be trusted. It is no finding of the source, so no manifest keeps it. */
  isManifestUnreadable: boolean;
  /** What the live snapshot's build found in the source, when it would be found again. */
  recalled: Findings | undefined;
}

export function newAttemptRecord(): AttemptRecord {
  return {
    before: undefined,
    after: undefined,
    counts: noPrograms,
    bytesWritten: 0,
    problems: new ProblemLog(),
    isManifestUnreadable: false,
    recalled: undefined,
  };
}

/** Reads the source once and publishes what changed. */
export async function attemptTenant(
  tenantId: TenantId,
  options: BuildOptions,
  context: BuildContext,
  record: AttemptRecord,
): Promise<AttemptOutcome> {
  const { store, signal } = context;
  // P5: before the database: a builder that holds older data must lose the race for the pointer, not win it.
  const pointer = await readPointer(store, tenantId, signal);
  const before = pointer?.current;
  record.before = before;
  if (before?.hold) return "held";
  const readAt = context.now();
  const plan = {
    tenantId,
    snapshotId: snapshotId(readAt, context.randomBytes(4)),
    generation: (before?.generation ?? 0) + 1,
    generatedAt: readAt.toISOString(),
    parentId: before?.snapshotId ?? null,
    rewrite: options.rewrite,
    rules: options.rules,
  };
  const onWritten = (bytes: number): void => {
    record.bytesWritten += bytes;
  };
  const writer = { ...context, store: options.dryRun ? undefined : store, onWritten };
  const reading = await context.pool.withReading(async (client) => {
    const { limits } = options.rules;
    const [parent, rows] = await Promise.all([
      before && trustedManifest(store, before, record, signal),
      readSourceDigest(client, tenantId, limits),
    ]);
    const digest = sha256Hex(Buffer.from(options.recipe + rows.digest));
    if (parent?.source?.digest === digest && !options.rewrite)
      return { known: parent.source, programs: parent.programs.count };
    const batches = readPrograms(client, tenantId, limits, rows.sizes);
    const prepared = await prepareSnapshot({ ...plan, parent }, batches, record.problems, writer);
    return { prepared, parent, digest };
  });
  if (reading.known !== undefined) {
    const { notPublishable, invalid } = reading.known;
    const { programs } = reading;
    context.onProgress(programs + notPublishable + invalid);
    record.counts = { ...noPrograms, programs, unchanged: programs, notPublishable, invalid };
    record.recalled = reading.known;
    return "unchanged";
  }
  const { prepared, parent, digest } = reading;
  const { counts } = prepared;
  record.counts = counts;
  guardInvalid(tenantId, counts, record.problems, options.onInvalid);
  if (before !== undefined && !options.allowShrink) {
    guardShrink(tenantId, parent?.programs.count, counts.programs);
  }
  if (prepared.isUnchanged) return "unchanged";
  if (options.dryRun) return "would-publish";
  const { notPublishable, invalid } = counts;
  const source = { digest, notPublishable, invalid, ...record.problems.findings };
  return await publish({ ...prepared.manifest, source }, pointer, context, record);
}

async function publish(
  manifest: Manifest,
  pointer: PointerVersion | undefined,
  context: BuildContext,
  record: AttemptRecord,
): Promise<AttemptOutcome> {
  const { store, signal } = context;
  const { tenantId } = manifest;
  using spool = new Spool();
  for (const text of manifestText(manifest)) spool.append(text);
  const body = spool.finish();
  await context.beforeFirstWrite();
  await putImmutable(store, manifestKey(tenantId, manifest.snapshotId), body, signal);
  record.bytesWritten += body.size;
  const next: Current = {
    tenantId,
    generation: manifest.generation,
    snapshotId: manifest.snapshotId,
    manifestSha256: body.sha256,
    publishedAt: context.now().toISOString(),
    hold: null,
    nonce: Buffer.from(context.randomBytes(16)).toString("hex"),
  };
  const { kind } = await commit(store, pointer, next);
  if (kind === "superseded") return "superseded";
  record.after = next;
  return "published";
}

/** A manifest that is missing or broken makes the build write every file anew, which mends the tenant. */
async function trustedManifest(
  store: ObjectStore,
  current: Current,
  record: AttemptRecord,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  try {
    return await readLiveManifest(store, current, signal);
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code !== "corrupt_document") throw failure;
    record.isManifestUnreadable = true;
    return undefined;
  }
}
