import type { Current } from "../../../core/documents/current.ts";
import { detailEntry, type Manifest } from "../../../core/documents/manifest.ts";
import { printable } from "../../../core/ground/printable.ts";
import { type Labelled, type Layout, labelledLines, numbers, table } from "../../output/layout.ts";
import { exactTime, numberText, relativeAndExact, shortAge } from "../../output/words.ts";
import type { PublishedSnapshot } from "./tenant-snapshots.ts";

/** Programs named in the summary of a snapshot; `--list` shows them all. */
const maxShownPrograms = 20;

/** What a snapshot consists of. */
export function snapshotFacts(manifest: Manifest, isLive: boolean, layout: Layout): string {
  const { style, width } = layout;
  const { tenantId, snapshotId, generation, parent, generatedAt, contentAt, list, legacy, programs } =
    manifest;
  const head = labelledLines(
    [
      ["snapshot", `${snapshotId}, generation ${generation}, ${isLive ? style.good("live") : "not live"}`],
      ["data of", relativeAndExact(contentAt ?? generatedAt, layout)],
      ...(contentAt === undefined
        ? []
        : [["withdrawals", relativeAndExact(generatedAt, layout)] satisfies Labelled]),
      ["built on", parent ?? "nothing: the tenant's first snapshot"],
      ["programs", numberText(programs.count)],
      ["list", `${bytes(list.size)}, sha256 ${list.sha256.slice(0, 12)}`],
      ["legacy", `${bytes(legacy.size)}, sha256 ${legacy.sha256.slice(0, 12)}`],
    ],
    width,
  );
  const ids = [...programs.ids()];
  const rows = ids.slice(0, maxShownPrograms).map((id) => {
    const entry = detailEntry(manifest, id);
    return [id, bytes(entry?.size ?? 0), programs.get(id)?.snapshotId ?? "-"];
  });
  const rest = ids.length - rows.length;
  return [
    `${style.bold(tenantId)}\n${head}`,
    rows.length === 0 ? "" : `\n${table(["PROGRAM", numbers("SIZE"), "WRITTEN BY"], rows)}`,
    rest > 0 ? `... and ${numberText(rest)} more (--list shows all)\n` : "",
  ].join("");
}

function bytes(count: number): string {
  if (count < 10_000) return `${numberText(count)} B`;
  return count < 10_000_000 ? `${Math.round(count / 1000)} kB` : `${Math.round(count / 1_000_000)} MB`;
}

/** The snapshots of a tenant, one line each, and why it is on hold if it is. */
export function snapshotListText(
  current: Current,
  published: readonly PublishedSnapshot[],
  layout: Layout,
): string {
  const { style, zone, now } = layout;
  const { hold, tenantId } = current;
  const stateOf = ({ isLive, isCondemned, withdrawnAt }: PublishedSnapshot): string => {
    if (isLive) return style.good(hold === null ? "live" : "live, held");
    if (isCondemned) return style.faint("being deleted");
    return withdrawnAt === null ? "replaced" : style.doubtful("withdrawn");
  };
  const counts = ["GENERATION", "PROGRAMS"].map(numbers);
  const lines = table(
    ["SNAPSHOT", "STATE", ...counts, "SOURCE READ", numbers("AGE"), "BUILT ON"],
    published.map((snapshot) => [
      snapshot.snapshotId,
      stateOf(snapshot),
      String(snapshot.generation),
      numberText(snapshot.programs),
      exactTime(snapshot.generatedAt, zone),
      shortAge(new Date(snapshot.generatedAt), now),
      snapshot.parent ?? "-",
    ]),
  );
  if (hold === null) return lines;
  const since = `On hold since ${exactTime(hold.since, zone)}: ${printable(hold.reason)}.`;
  return `${lines}\n${since} No build replaces the live snapshot until \`snapshot release --tenant ${tenantId}\`.\n`;
}
