import { readFileSync } from "node:fs";

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
