import { Examples, type Finding, type Judge } from "../rule.ts";

/** Details that are remembered of one snapshot; of a larger one only so many are looked at. */
const maxRemembered = 50_000;
/** Around a publication two gateways may answer from two snapshots. */
const maxSnapshots = 2;
/** Below this many nothing is said: an answer may have been cut and asked for again. */
const least = 5;
const tolerated = 10;

/** Whether the same detail of the same snapshot is read again and again: until there is a new one it is the same, to the byte. */
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
        // After a rollback, or the return from one, the client has to read again what it had from this snapshot before.
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
      const fails = again >= least && again * tolerated > details;
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
