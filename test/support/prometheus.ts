import { spawnSync } from "node:child_process";

/** Whether a program of this name can be started. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
