import type { Builds, Guard, Hold, TenantWay } from "./tenant-way.ts";

/** What stands between the booking system and partners, for one program. */
export type Obstacle =
  | { readonly kind: "none"; readonly at: string }
  | { readonly kind: "interrupted"; readonly at: string }
  | { readonly kind: "unseen" }
  /** `builds`: whether any would come if the hold ended. */
  | { readonly kind: "held"; readonly hold: Hold; readonly builds: Builds }
  | { readonly kind: "failing"; readonly at: string; readonly lastGoodAt: string | null }
  | { readonly kind: "silent"; readonly at: string }
  | { readonly kind: "guard"; readonly at: string; readonly guard: Guard }
  /** `programs`: other ones than the program in question; empty when the report does not name them. */
  | { readonly kind: "faults"; readonly at: string; readonly programs: readonly (string | null)[] }
  /** P10: without this program nothing of what is published would be left; the next build refuses that unless it publishes another one. */
  | { readonly kind: "last" };

/** `withdrawal`: the program goes, because the source states so; `loss`: it goes without that. `change`: anything else. */
export type Need = "change" | "withdrawal" | "loss";

/**
 * P47: of all that may stand in the way, what decides. A hold comes first, since somebody has to end it whatever builds do; then
 * that no build gets through, then what a build would meet. `isOnly`: no other program is published. The program's own fault is not in the way: it is what is to be mended.
 */
export function obstacleTo(
  need: Need,
  { builds, keeper }: TenantWay,
  { programId, isOnly }: { readonly programId: string; readonly isOnly: boolean },
): Obstacle {
  // P20: a stated withdrawal passes a hold, the guard, and faults of other programs.
  const met = need === "withdrawal" ? undefined : keeper;
  if (met?.kind === "held") return { ...met, builds };
  if (builds.kind === "failing" || builds.kind === "silent") return builds;
  if (met?.kind === "guard") return met;
  if (met?.kind === "faults") {
    const others = met.programs.filter((id) => id !== programId);
    const isAlone = met.programs.length > 0 && others.length === 0;
    if (!isAlone) return { ...met, programs: others };
  }
  if (need === "loss" && isOnly) return { kind: "last" };
  return builds.kind === "running" ? { kind: "none", at: builds.at } : builds;
}
