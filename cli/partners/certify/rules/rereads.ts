import { Examples, type Finding, type Judge } from "../rule.ts";

/** At most this many details of one snapshot are remembered. Further details are not judged. */
const maxRemembered = 50_000;
/** Details of two snapshots are remembered, since two gateways may answer from different ones around a publication. */
const maxSnapshots = 2;
/** Fewer repeated reads are no fault, since a client repeats a request whose answer was cut off. */
const minRereads = 5;
const tolerated = 10;

/** Judges whether the client reads a detail of one snapshot again and again. Its bytes stay the same until the next snapshot. */
export function judgeRereads(): Judge {
  const seen = new Map<string, Set<string>>();
  let listed: string | undefined;
  let details = 0;
  let again = 0;
  const examples = new Examples();

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
    see(request) {
      const { route, status, isCut, snapshotId, programId } = request;
      if (status !== 200 || isCut || snapshotId === null) return;
      if (route === "list" && snapshotId !== listed) {
        // After a rollback an earlier snapshot is live again, and the client has to read its details again.
        seen.delete(snapshotId);
        listed = snapshotId;
      }
      if (route !== "detail" || programId === null) return;
      details += 1;
      const programs = programsOf(snapshotId);
      if (programs.has(programId)) {
        again += 1;
        examples.add(request);
      } else if (programs.size < maxRemembered) programs.add(programId);
    },
    finding(): Finding {
      const fails = again >= minRereads && again * tolerated > details;
      return {
        rule: "rereads",
        verdict: details === 0 ? "not-seen" : fails ? "fail" : "pass",
        summary: `${again} of ${details} details had been read before from the same snapshot.`,
        counts: { details, readBefore: again },
        examples: fails ? examples.ids : [],
        advice: fails
          ? "Compare `Snapshot-Id`: while it stays, nothing has changed. Then read the details of new and changed list elements only."
          : null,
      };
    },
  };
}
