import { readFileSync } from "node:fs";
import type { Current } from "../../../core/current.ts";
import { asFailure } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { livePrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import { keepLiveTree, type LiveTreeOutcome } from "./live-tree.ts";

/** What a caller may know, to spare requests. */
export interface LiveCopyChoices {
  readonly known?: readonly Manifest[];
  readonly rewrite?: boolean;
  /** See `LiveTreeTask`. */
  readonly mayExist?: boolean;
}

/** Makes a tenant's tree for people follow its pointer. Throws nothing. */
export type FollowLive = (
  store: ObjectStore,
  live: Current,
  choices?: LiveCopyChoices,
) => Promise<LiveTreeOutcome | "failed">;

/**
 * P28: the tree is a convenience: when it cannot be kept, partners get what was published all the same, so a line on
 * standard error says so, and the next build mends it.
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
 * Names the time since this machine was started; empty where the system has no such name. Copies in a folder are not
 * synced, so those of an earlier time may have been lost with the power.
 */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
