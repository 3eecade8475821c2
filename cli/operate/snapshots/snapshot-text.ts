import type { Current } from "../../../core/current.ts";
import { detailEntry, type Manifest } from "../../../core/manifest.ts";
import { printable } from "../../../core/printable.ts";
import { numberText } from "../../output/counted.ts";
import { type Labelled, labelledLines } from "../../output/labelled-lines.ts";
import type { Layout } from "../../output/layout.ts";
import { numbers, table } from "../../output/table.ts";
import { exactTime, relativeAndExact, shortAge } from "../../output/times.ts";
import type { PublishedSnapshot, TenantSnapshots } from "./tenant-snapshots.ts";

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
export function snapshotListText(current: Current, { published }: TenantSnapshots, layout: Layout): string {
  const lines = table(
    [
      "SNAPSHOT",
      "STATE",
      numbers("GENERATION"),
      numbers("PROGRAMS"),
      "SOURCE READ",
      numbers("AGE"),
      "BUILT ON",
    ],
    published.map((snapshot) => [
      snapshot.snapshotId,
      stateOf(snapshot, current, layout),
      String(snapshot.generation),
      numberText(snapshot.programs),
      exactTime(snapshot.generatedAt, layout.zone),
      shortAge(new Date(snapshot.generatedAt), layout.now),
      snapshot.parent ?? "-",
    ]),
  );
  const { hold } = current;
  if (hold === null) return lines;
  return `${lines}\nOn hold since ${exactTime(hold.since, layout.zone)}: ${printable(hold.reason)}. No build replaces the live snapshot until \`snapshot release --tenant ${current.tenantId}\`.\n`;
}

function stateOf(snapshot: PublishedSnapshot, { hold }: Current, { style }: Layout): string {
  if (snapshot.isLive) return style.good(hold === null ? "live" : "live, held");
  if (snapshot.isCondemned) return style.faint("being deleted");
  return snapshot.withdrawnAt === null ? "replaced" : style.doubtful("withdrawn");
}
