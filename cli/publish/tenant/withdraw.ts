import { snapshotId } from "../../../core/ids.ts";
import { readPointer } from "../snapshot/live-snapshot.ts";
import type { Attempt } from "./attempt.ts";
import { followLive } from "./follow-live.ts";
import { publishManifest } from "./publish-manifest.ts";
import { createResponseWriter } from "./response-writer.ts";
import { withdrawalManifest } from "./withdrawal.ts";

/**
 * P20: publishes the live content less these programs, where the rest of a build may not be published or has not come yet.
 * Resolves with the attempt as it goes on: with the pointer and the manifest that are live now. A dry run changes nothing.
 */
export async function withdraw(
  attempt: Attempt,
  withdrawn: ReadonlySet<string>,
): Promise<Attempt | "superseded"> {
  const { tenantId, context, record, options, pointer, live, readAt } = attempt;
  if (pointer === undefined || live === undefined || options.dryRun) return attempt;
  const gone = new Set([...withdrawn].filter((id) => live.programs.has(id)));
  if (gone.size === 0) return attempt;
  const { store, signal } = context;
  const plan = {
    live,
    withdrawn: gone,
    generation: pointer.current.generation + 1,
    snapshotId: snapshotId(readAt, context.randomBytes(4)),
    generatedAt: readAt.toISOString(),
  };
  const onWritten = (bytes: number): void => {
    record.bytesWritten += bytes;
  };
  const writer = createResponseWriter({ ...context, tenantId, snapshotId: plan.snapshotId, onWritten });
  const manifest = await withdrawalManifest(plan, store, writer, signal);
  if ((await publishManifest(attempt, manifest)) === "superseded") return "superseded";
  await followLive(attempt, attempt.memory?.mayHaveLiveTree ?? true, manifest);
  const published = await readPointer(store, tenantId, signal);
  if (published === undefined || published.current.nonce !== record.after?.nonce) return "superseded";
  return { ...attempt, pointer: published, live: manifest };
}
