import { readFileSync } from "node:fs";
import type { Current } from "../../../core/current.ts";
import { asFailure } from "../../../core/failure.ts";
import { livePrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import { keepLiveTree, type LiveTreeOutcome, type LiveTreeTask } from "./live-tree.ts";

/** Makes a tenant's `live/` folder follow its pointer. Never throws. `given`: what the caller already knows, to save requests. */
export type FollowLive = (
  store: ObjectStore,
  live: Current,
  given?: Partial<Pick<LiveTreeTask, "known" | "rewrite" | "mayExist">>,
) => Promise<LiveTreeOutcome | "failed">;

/**
 * P28: partners do not depend on the `live/` folder. So a failure to update it is only a line on standard error, and the next build
 * mends the folder.
 */
export function createFollowLive(shell: Shell, settings: CliSettings): FollowLive {
  const { liveCopy: isOn, storeUrl } = settings;
  const boot = storeUrl.kind === "file" ? bootId() : "";
  return async (store, live, { known = [], rewrite = false, mayExist = true } = {}) => {
    const { signal } = shell;
    try {
      return await keepLiveTree({ store, live, isOn, mayExist, rewrite, known, bootId: boot, signal });
    } catch (error) {
      shell.stderr.write(
        `partner-programs: warning: ${livePrefix(live.tenantId)} is not up to date: ${asFailure(error).message} ` +
          "Partners are not affected; the next build mends it.\n",
      );
      return "failed";
    }
  };
}

/**
 * Names the present run of this machine since its start; empty where the system has no such name. Copies in a folder are not synced
 * to disk, so copies made before the last start may have been lost with the power.
 */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
