import type { Current } from "../../../core/current.ts";
import { printable } from "../../../core/printable.ts";
import { numberText } from "../../output/counted.ts";
import type { Layout } from "../../output/layout.ts";
import { numbers, table } from "../../output/table.ts";
import { exactTime, shortAge } from "../../output/times.ts";
import type { PublishedSnapshot, TenantSnapshots } from "./tenant-snapshots.ts";

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
    layout.columns,
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
