/**
 * The table of standings as tests know it: every row that facts can lead to. A new row needs a line here, and
 * a plant.
 */

const settled = [
  "malformed_id",
  "removed",
  "damaged",
  "unpublished_unlisted",
  "unpublished_unchecked",
  "served_same",
  "served_unchecked",
  "served_unlisted",
  "missing_unchecked",
  "missing_unlisted",
  "missing_spelled",
  "missing_elsewhere",
  "missing_near",
  "missing_unknown",
];

const ways = ["none", "interrupted", "unseen", "held", "failing", "silent", "guard", "faults"];

/** What goes through a hold, the guard and the faults of others. */
const passing = ["none", "interrupted", "unseen", "failing", "silent"];

/** Standing → what may stand in its way. */
const open: Readonly<Record<string, readonly string[]>> = {
  // Nothing that is not there can be held.
  unpublished: ways.filter((way) => way !== "held"),
  served_dropped: ways,
  served_differs: ways,
  // Without the only program the list would be empty, which builds refuse.
  served_absent: [...ways, "last"],
  served_withdrawn: passing,
  // Builds that leave faults out do not stop at any.
  served_faulty: [...ways.filter((way) => way !== "faults"), "last"],
  // That builds stop at faults is known of a run only.
  served_stopping: ways.filter((way) => way !== "unseen"),
  missing_waiting: ways,
  missing_unpublishable: ways,
  missing_faulty: ways.filter((way) => way !== "faults"),
  missing_stopping: ways.filter((way) => way !== "unseen"),
  missing_gone: ways,
};

export const standingRowIds: readonly string[] = [
  ...settled,
  ...Object.entries(open).flatMap(([standing, own]) => own.map((way) => `${standing}/${way}`)),
].sort();
