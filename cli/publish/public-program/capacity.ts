import type { Capacity } from "../../../schemas/generated/types.ts";
import type { Report } from "./problem.ts";
import type { EnrollmentRow } from "./program-source.ts";

/**
 * `used` counts passengers whose status is not terminal, and no staff (D29). An unknown status or role counts as used, because a
 * seat wrongly shown as taken is better than one sold twice. `used` may exceed `total`; `remaining` is then 0 (D28).
 */
export function capacity(
  declaredTotal: number | string | null,
  enrollments: readonly EnrollmentRow[],
  isTerminal: (status: string | null) => boolean,
  report: Report,
): Capacity {
  const isCount =
    typeof declaredTotal === "number" && Number.isSafeInteger(declaredTotal) && declaredTotal >= 0;
  if (!isCount) report("capacity_total_invalid", "capacity.total", declaredTotal);
  const total = isCount ? declaredTotal : 0;
  let used = 0;
  for (const [role, status, count] of enrollments) {
    const known = role?.toLowerCase();
    if (isTerminal(status) || known === "staff") continue;
    if (known !== "passenger") report("enrollment_role_unknown", "capacity.used", role);
    used += count;
  }
  return { total, used, remaining: Math.max(0, total - used) };
}

/** The test ignores case (D33). NULL is not terminal. */
export function terminalStatusTest(terminal: readonly string[]): (status: string | null) => boolean {
  const known = new Set(terminal.map((status) => status.toLowerCase()));
  return (status) => status !== null && known.has(status.toLowerCase());
}
