import type { LogState } from "../../operate/log-index/request-log.ts";
import { type Html, html } from "../../output/html.ts";
import { command, notice, time } from "./parts.ts";

/** What the reader has to know of the logs before they believe that something is not there. */
export function logNotices({ progress, faults, isDropping, covers }: LogState, now: Date): readonly Html[] {
  const notices = faults.map((fault) => notice("doubtful", html`<p>${fault}</p>`));
  if (progress < 1) {
    notices.push(
      notice(
        "doubtful",
        html`<p>The log is being read: ${Math.floor(progress * 100)} % is done. Load the page again for the rest.</p>`,
      ),
    );
  }
  if (isDropping && covers !== null) {
    notices.push(
      notice(
        "doubtful",
        html`<p>Requests before ${time(covers.from, now)} were dropped: there were too many.</p>`,
      ),
    );
  }
  return notices;
}

/** Of a page that is made of logs, where none was given. */
export function noLog(): Html {
  return html`<p>This page is made from the gateway’s log. Whoever runs this server names it: ${command("inspect --log FILE")}</p>`;
}
