import type { LivePeriod } from "../../operate/snapshots/live-periods.ts";
import { type Html, html } from "../../output/html.ts";
import { exactTime, type Reader, relativeTime } from "../../output/times.ts";
import { snapshotPath } from "./addresses.ts";
import { notice } from "./parts.ts";

/** The time in a form's field, in UTC; `null` when the text is no time. */
export function chosenTime(text: string | null): Date | null {
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  const at = new Date(`${text}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

export function asOfForm(path: string, at: Date | null, reader: Reader): Html {
  const shown = at ?? new Date(reader.now.getTime() - 24 * 3_600_000);
  return html`<form class="search" action="${path}" method="get">
<label for="at">What did partners see at this time? (UTC)</label>
<div class="field"><input id="at" name="at" type="datetime-local" required value="${shown.toISOString().slice(0, 16)}"><button>Show</button></div>
</form>`;
}

export interface LiveAt {
  readonly at: Date;
  readonly found: LivePeriod | undefined;
  /** When the tenant was removed, RFC 3339; `null` when it was not. */
  readonly removedAt: string | null;
}

/** A notice about the snapshot that was live at the time. `remark` gives a further sentence about a snapshot. */
export function asOfNotice(
  tenantId: string,
  { at, found: only, removedAt }: LiveAt,
  reader: Reader,
  remark: (period: LivePeriod) => Html | false = () => false,
): Html {
  const when = html`<span class="whole">${exactTime(at.toISOString())}</span> (${relativeTime(at, reader.now)})`;
  const doubt = (content: Html): Html => notice("doubtful", content);
  if (at > reader.now) return doubt(html`<p>${when}: that time is in the future.</p>`);
  // P91: from its removal on, the partners of a tenant see nothing.
  if (removedAt !== null && at.getTime() >= Date.parse(removedAt)) {
    return doubt(
      html`<p>At ${when} partners saw nothing: tenant ${tenantId} was removed <span class="whole">${exactTime(removedAt)}</span>, and they get 401 (unauthorized).</p>`,
    );
  }
  if (only === undefined) {
    return doubt(
      html`<p>${when}: not known. Nothing was published yet, or it was before the oldest snapshot that is kept.</p>`,
    );
  }
  return notice(
    "good",
    html`<p>At ${when} partners saw snapshot ${link(tenantId, only)}, which was live ${span(seenUntil(only, removedAt))}. ${remark(only)}</p>
<p class="rule">A gateway follows within seconds; one that could not reach the store went on for a while with what it had.</p>`,
  );
}

/** P91: partners saw the live snapshot only until the removal of the tenant. */
export function seenUntil(period: LivePeriod, removedAt: string | null): LivePeriod {
  return period.until === null ? { ...period, until: removedAt } : period;
}

export function span({ from, until }: LivePeriod): Html {
  const start = html`<span class="whole">${exactTime(from)}</span>`;
  return until === null
    ? html`from ${start} until now`
    : html`from ${start} until <span class="whole">${exactTime(until)}</span>`;
}

function link(tenantId: string, { snapshotId }: LivePeriod): Html {
  return html`<a href="${snapshotPath(tenantId, snapshotId)}"><code>${snapshotId}</code></a>`;
}
