import type { Verdict } from "./standing-row.ts";

/** How a verdict is meant, for whatever shows it in colour. */
export function verdictTone(verdict: Verdict): "good" | "doubtful" | "bad" {
  if (verdict === "served") return "good";
  return verdict.startsWith("served") || verdict === "waiting" ? "doubtful" : "bad";
}
