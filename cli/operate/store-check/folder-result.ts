import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CheckResult } from "./checklist.ts";

/** Whether a `file:` store keeps its objects to its owner and group, and has no link in it that no program follows. */
export async function folderResult(directory: string): Promise<CheckResult> {
  const links = (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => join(directory, name));
  if (links.length > 0) {
    const text = `${links.join(" and ")}: a symbolic link below the store's folder is never followed.`;
    return ["failed", `${text} Remove it, or put what it points at in its place.`];
  }
  if (((await stat(directory)).mode & othersMode) !== 0) {
    return [
      "warning",
      `Every account of this machine may look into ${directory}. Run: chmod -R o= '${directory}' (a gateway under another account needs the folder's group then).`,
    ];
  }
  return ["ok", "For its owner and its group only, without links."];
}

const othersMode = 0o007;
