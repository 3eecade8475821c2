import type { Output } from "../shell/shell.ts";
import { numberText } from "./words.ts";

/** Hears how far one run is. */
export interface RunProgress {
  total(tenants: number): void;
  tenantDone(): void;
  programs(count: number): void;
  /** The run is over, or something else will be printed. */
  clear(): void;
}

export const noProgress: RunProgress = { total() {}, tenantDone() {}, programs() {}, clear() {} };

const barWidth = 24;
/** Faster updates can't be read and cost time. */
const minIntervalMs = 100;

/** Shows how far a run is, on one line of a terminal; silent anywhere else. */
export function createProgressBar(output: Output, now: () => Date): RunProgress {
  const known = { tenants: 0, done: 0, programs: 0 };
  let drawnAt = 0;

  function add(what: Partial<typeof known>): void {
    for (const [name, count] of Object.entries(what)) known[name as keyof typeof known] += count;
    const { tenants, done, programs } = known;
    const time = now().getTime();
    if (!output.isTTY || tenants === 0 || time - drawnAt < minIntervalMs) return;
    drawnAt = time;
    const filled = Math.round((done / tenants) * barWidth);
    const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
    output.write(`\r${bar} ${done}/${tenants} tenants, ${numberText(programs)} programs read\u001b[K`);
  }

  return {
    total: (tenants) => add({ tenants }),
    tenantDone: () => add({ done: 1 }),
    programs: (programs) => add({ programs }),
    clear() {
      if (output.isTTY && drawnAt > 0) output.write("\r\u001b[K");
      drawnAt = 0;
    },
  };
}
