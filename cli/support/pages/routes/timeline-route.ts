import { type ProgramId, parseProgramId, parseTenantId, type TenantId } from "../../../../core/ids.ts";
import type { LivePeriod } from "../../../operate/snapshots/live-periods.ts";
import { periodsAt } from "../../../operate/snapshots/live-periods.ts";
import { programTimeline } from "../../../operate/snapshots/program-timeline.ts";
import { readLivePeriods } from "../../../operate/snapshots/read-live-periods.ts";
import { readPublishedPointer } from "../../../publish/snapshot/live-snapshot.ts";
import { readStoredManifest } from "../../../publish/snapshot/stored-manifest.ts";
import { readRemoved } from "../../read-removed.ts";
import { chosenTime } from "../as-of.ts";
import type { Inspection } from "../inspection.ts";
import type { Page } from "../page.ts";
import { route } from "../route.ts";
import { type AsOfAnswer, timelinePage } from "../timeline-page.ts";

interface Input {
  readonly tenantId: TenantId;
  readonly programId: ProgramId;
  /** As many of the oldest periods; without it, all. */
  readonly older: number | undefined;
  readonly at: Date | null;
}

export const timelineRoute = route({
  pattern: "/tenants/:tenant/programs/:program/timeline",
  parse: ({ tenant, program }, query): Input => ({
    tenantId: parseTenantId(tenant),
    programId: parseProgramId(program),
    older: Number(query.get("older")) || undefined,
    at: chosenTime(query.get("at")),
  }),
  page,
});

/** A page is read by a person, and each manifest names all programs of its tenant. */
const bounds = { maxManifests: 40, maxEntries: 20 };

async function page(input: Input, { store, now, signal }: Inspection): Promise<Page> {
  const { tenantId, programId, older } = input;
  const pointer = await readPublishedPointer(store, tenantId, signal);
  const { published, periods } = await readLivePeriods(store, pointer, signal);
  const rest = older === undefined ? periods : periods.slice(Math.max(0, periods.length - older));
  const timeline = await programTimeline(store, { tenantId, programId }, rest, bounds, signal);
  const { removed } = await readRemoved(store, signal);
  const removedAt = removed.get(tenantId)?.removedAt ?? null;
  const asOf = input.at && {
    ...(await answerAsOf(input.at, input, periods, { store, signal })),
    removedAt,
  };
  const isWhole = published.at(-1)?.parent === null;
  const isOlder = rest.length < periods.length;
  return timelinePage({ tenantId, programId, timeline, isOlder, isWhole, removedAt, asOf }, now());
}

async function answerAsOf(
  at: Date,
  { tenantId, programId }: Input,
  periods: readonly LivePeriod[],
  { store, signal }: Pick<Inspection, "store" | "signal">,
): Promise<Omit<AsOfAnswer, "removedAt">> {
  const found = periodsAt(periods, at);
  const having = new Set<string>();
  for (const { snapshotId } of found) {
    const stored = await readStoredManifest(store, tenantId, snapshotId, signal);
    if (stored?.manifest.programs.has(programId)) having.add(snapshotId);
  }
  return { at, found, having };
}
