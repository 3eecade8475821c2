import { numberText } from "../../output/counted.ts";
import type { Output } from "../../shell/shell.ts";
import type { RunProgress } from "../run/build-session.ts";

const barWidth = 24;
/** Faster updates can't be read and cost time. */
const minIntervalMs = 100;

/** Shows how far a run is, on one line of a terminal; silent anywhere else. */
export function createProgressBar(output: Output, now: () => Date): RunProgress {
  let tenants = 0;
  let done = 0;
  let programs = 0;
  let drawnAt = 0;

  function draw(): void {
    const time = now().getTime();
    if (!output.isTTY || tenants === 0 || time - drawnAt < minIntervalMs) return;
    drawnAt = time;
    const filled = Math.round((done / tenants) * barWidth);
    const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
    output.write(`\r${bar} ${done}/${tenants} tenants, ${numberText(programs)} programs read\u001b[K`);
  }

  return {
    total(count) {
      tenants = count;
      draw();
    },
    tenantDone() {
      done += 1;
      draw();
    },
    programs(count) {
      programs += count;
      draw();
    },
    clear() {
      if (output.isTTY && drawnAt > 0) output.write("\r\u001b[K");
      drawnAt = 0;
    },
  };
}
