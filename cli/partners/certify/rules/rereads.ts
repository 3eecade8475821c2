import type { Rule } from "../rule.ts";

/** At most this many details of one snapshot are remembered. Further details are not judged. */
const maxRemembered = 50_000;
/** Details of two snapshots are remembered, since two gateways may answer from different ones around a publication. */
const maxSnapshots = 2;
/** Fewer repeated reads are no fault, since a client repeats a request whose answer was cut off. */
const minRereads = 5;
const tolerated = 10;

/** The client reads a detail of one snapshot once. Its bytes stay the same until the next snapshot. */
export function rereadsRule(): Rule {
  const seen = new Map<string, Set<string>>();
  let listed: string | undefined;

  function programsOf(snapshotId: string): Set<string> {
    const known = seen.get(snapshotId);
    if (known !== undefined) return known;
    const programs = new Set<string>();
    seen.set(snapshotId, programs);
    const [oldest] = seen.keys();
    if (seen.size > maxSnapshots && oldest !== undefined) seen.delete(oldest);
    return programs;
  }

  return {
    breaks({ route, status, isCut, snapshotId, programId }) {
      if (status !== 200 || isCut || snapshotId === null) return undefined;
      if (route === "list" && snapshotId !== listed) {
        // After a rollback an earlier snapshot is live again, and the client has to read its details again.
        seen.delete(snapshotId);
        listed = snapshotId;
      }
      if (route !== "detail" || programId === null) return undefined;
      const programs = programsOf(snapshotId);
      const isReread = programs.has(programId);
      if (programs.size < maxRemembered) programs.add(programId);
      return isReread;
    },
    judgement: (details, again) => ({
      isSeen: details > 0,
      fails: again >= minRereads && again * tolerated > details,
      summary: `${again} of ${details} details had been read before from the same snapshot.`,
      counts: { details, readBefore: again },
      advice:
        "Compare `Snapshot-Id`: while it stays, nothing has changed. Then read the details of new and changed list elements only.",
    }),
  };
}
