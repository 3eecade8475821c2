import type { ActorPlan } from "./commit-world.ts";
import type { PendingCall, SimulatedStore } from "./simulated-store.ts";

/** The folder of a snapshot's object: `tenants/<tenant>/snapshots/<snapshot>`. */
export function folderOf(key: string): string {
  return key.split("/", 4).join("/");
}

/**
 * Whether it makes no difference to anybody else when the call is performed, and none to the call what others do before it:
 * then it is enough to look at what follows when it is performed at once, instead of at every point in time.
 * `others` are the kinds of the other actors that are still at work; `folders` were there before any of them began.
 */
export function concernsNobody(
  { operation, target }: PendingCall,
  others: readonly ActorPlan["kind"][],
  late: SimulatedStore["late"],
  folders: ReadonlySet<string>,
): boolean {
  if (target.endsWith("/current.json")) return false;
  if (operation === "get") {
    const isAwaited = late.some((effect) => effect.target.split(" ").includes(target));
    return !isAwaited && !others.some((kind) => mayWrite(kind, target, folders));
  }
  // Folders of builds that are not live are looked at by those two only.
  return operation === "put" && !others.includes("prune") && !others.includes("rollback");
}

function mayWrite(kind: ActorPlan["kind"], key: string, folders: ReadonlySet<string>): boolean {
  switch (kind) {
    case "prune":
      return true;
    case "rollback":
      return key.endsWith("/withdrawn.json");
    case "builder":
      // Into folders of their own only.
      return !folders.has(folderOf(key));
    case "release":
      return false;
  }
}
