import { countingStore } from "../../core/counting-store.ts";
import type { Current } from "../../core/current.ts";
import { asFailure, Failure } from "../../core/failure.ts";
import { snapshotId, type TenantId } from "../../core/ids.ts";
import { type Manifest, manifestText } from "../../core/manifest.ts";
import { sha256Hex } from "../../core/object-body.ts";
import { manifestKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { ProgramCounts, TenantRun } from "../../schemas/generated/types.ts";
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

/** A build that lost to another builder or to a prune starts again from a fresh reading, so many times. */
const maxRestarts = 3;

/** Builds and publishes one tenant. Never throws: what went wrong is in the result. */
export async function buildTenant(
  tenantId: TenantId,
  options: BuildOptions,
  context: BuildContext,
): Promise<TenantRun> {
  const startedAt = context.now();
  const store = countingStore(context.store);
  let problems = new ProblemLog();
  let written = 0;
  let result: Attempt = { outcome: "failed", before: undefined, after: undefined, counts: noPrograms };
  let unreadable: Current | undefined;
  let failure: Failure | undefined;
  try {
    for (let restart = 0; ; restart += 1) {
      problems = new ProblemLog();
      unreadable = undefined;
      const onWritten = (bytes: number): void => {
        written += bytes;
      };
      const onUnreadable = (current: Current): void => {
        unreadable = current;
      };
      const attempt = {
        tenantId,
        options,
        context: { ...context, store },
        problems,
        onWritten,
        onUnreadable,
      };
      result = await buildOnce(attempt, (partial) => {
        result = partial;
      });
      if (result.outcome !== "superseded") break;
      if (restart === maxRestarts) {
        throw new Failure(
          "superseded",
          `Tenant ${tenantId} was published by other builders ${maxRestarts + 1} times meanwhile; their snapshot stays.`,
        );
      }
    }
  } catch (error) {
    failure = asBuildFailure(error, context.signal);
  }
  if (unreadable !== undefined) {
    problems.add({ code: "manifest_unreadable", programId: null, field: null, value: unreadable.snapshotId });
  }
  const { before, after, counts } = result;
  const live = after ?? before;
  const { problems: found, problemsOmitted, problemCounts } = result.recalled ?? problems.findings;
  return {
    tenantId,
    outcome: failure === undefined ? outcomeOf(result) : failureOutcome(failure),
    snapshotId: live?.snapshotId ?? null,
    generation: live?.generation ?? null,
    previousSnapshotId: before?.snapshotId ?? null,
    counts,
    durationMs: Math.max(0, context.now().getTime() - startedAt.getTime()),
    requests: store.requests(),
    bytesWritten: written,
    failure: failureText(failure, before),
    problems: found,
    problemsOmitted,
    problemCounts,
  };
}

/** The result for a tenant whose turn did not come, or that another builder has built. */
export function notBuilt(tenantId: TenantId, outcome: "skipped" | "elsewhere"): TenantRun {
  return {
    tenantId,
    outcome,
    snapshotId: null,
    generation: null,
    previousSnapshotId: null,
    counts: noPrograms,
    durationMs: 0,
    requests: { get: 0, put: 0, list: 0, delete: 0 },
    bytesWritten: 0,
    failure: null,
    problems: [],
    problemsOmitted: 0,
    problemCounts: {},
  };
}

interface Attempt {
  readonly outcome: "published" | "unchanged" | "held" | "would-publish" | "superseded" | "failed";
  readonly before: Current | undefined;
  readonly after: Current | undefined;
  readonly counts: ProgramCounts;
  /** What the live snapshot's build found in the source, when it would be found again. */
  readonly recalled?: Findings;
}

interface AttemptInput {
  readonly tenantId: TenantId;
  readonly options: BuildOptions;
  readonly context: BuildContext;
  readonly problems: ProblemLog;
  readonly onWritten: (bytes: number) => void;
  /** Told of a pointer whose manifest cannot be trusted. */
  readonly onUnreadable: (current: Current) => void;
}

/** One reading. `known` is told what is known so far, for the report of a failure. */
async function buildOnce(input: AttemptInput, known: (partial: Attempt) => void): Promise<Attempt> {
  const { tenantId, options, context, problems } = input;
  const { store, signal } = context;
  // Before the database: a builder that holds older data must lose the race for the pointer, not win it.
  const pointer = await readPointer(store, tenantId, signal);
  const before = pointer?.current;
  const base = { before, after: undefined, counts: noPrograms };
  known({ ...base, outcome: "failed" });
  if (before?.hold) return { ...base, outcome: "held" };
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
  const writer = { ...context, store: options.dryRun ? undefined : store, onWritten: input.onWritten };
  const reading = await context.pool.withReading(async (client) => {
    const { limits } = options.rules;
    const [parent, rows] = await Promise.all([
      before && trustedManifest(store, before, input),
      readSourceDigest(client, tenantId, limits),
    ]);
    const digest = sha256Hex(Buffer.from(options.recipe + rows.digest));
    if (parent?.source?.digest === digest && !options.rewrite)
      return { known: parent.source, programs: parent.programs.count };
    const batches = readPrograms(client, tenantId, limits, rows.sizes);
    const prepared = await prepareSnapshot({ ...plan, parent }, batches, problems, writer);
    return { prepared, parent, digest };
  });
  if (reading.known !== undefined) {
    const { notPublishable, invalid } = reading.known;
    const { programs } = reading;
    context.onProgress(programs + notPublishable + invalid);
    const counts = { ...noPrograms, programs, unchanged: programs, notPublishable, invalid };
    return { ...base, counts, outcome: "unchanged", recalled: reading.known };
  }
  const { prepared, parent, digest } = reading;
  const { counts } = prepared;
  known({ ...base, counts, outcome: "failed" });
  guardInvalid(tenantId, counts, problems, options.onInvalid);
  if (before !== undefined && !options.allowShrink) {
    guardShrink(tenantId, parent?.programs.count, counts.programs);
  }
  if (prepared.isUnchanged) return { ...base, counts, outcome: "unchanged" };
  if (options.dryRun) return { ...base, counts, outcome: "would-publish" };
  const { notPublishable, invalid } = counts;
  const source = { digest, notPublishable, invalid, ...problems.findings };
  return await publish({ ...prepared.manifest, source }, counts, pointer, input);
}

async function publish(
  manifest: Manifest,
  counts: ProgramCounts,
  pointer: PointerVersion | undefined,
  { tenantId, context, onWritten }: AttemptInput,
): Promise<Attempt> {
  const { store, signal } = context;
  using spool = new Spool();
  for (const text of manifestText(manifest)) spool.append(text);
  const body = spool.finish();
  await context.beforeFirstWrite();
  await putImmutable(store, manifestKey(tenantId, manifest.snapshotId), body, signal);
  onWritten(body.size);
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
  const before = pointer?.current;
  if (kind === "superseded") return { outcome: "superseded", before, after: undefined, counts };
  return { outcome: "published", before, after: next, counts };
}

/** A manifest that is missing or broken makes the build write every file anew, which mends the tenant. */
async function trustedManifest(
  store: ObjectStore,
  current: Current,
  { context, onUnreadable }: AttemptInput,
): Promise<Manifest | undefined> {
  try {
    return await readLiveManifest(store, current, context.signal);
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code !== "corrupt_document") throw failure;
    onUnreadable(current);
    return undefined;
  }
}

function outcomeOf({ outcome }: Attempt): TenantRun["outcome"] {
  return outcome === "superseded" ? "failed" : outcome;
}

function failureOutcome({ code }: Failure): TenantRun["outcome"] {
  return code === "shrink_guard" || code === "store_unsupported" ? "refused" : "failed";
}

function asBuildFailure(error: unknown, signal: AbortSignal): Failure {
  return signal.aborted ? new Failure("interrupted", "Interrupted.", { cause: error }) : asFailure(error);
}

function failureText(failure: Failure | undefined, before: Current | undefined): TenantRun["failure"] {
  if (failure !== undefined) return { code: failure.code, message: failure.message };
  if (!before?.hold) return null;
  const message = `On hold since ${before.hold.since}: ${before.hold.reason}. End it with \`snapshot release\`.`;
  return { code: "held", message };
}
