import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../core/failure.ts";

const mark = "demo.txt";
const markText =
  "`partner-programs demo` keeps its database and its store here. Remove the folder when you need it no more.\n";

/**
 * Marks the folder as the demo's own, unless it is marked already (P120). Throws `usage` when it holds a database or a
 * store that no demo made, because the sample data would be published beside somebody's tenants.
 */
export async function claimDemoFolder(dataDir: string): Promise<void> {
  if (await exists(join(dataDir, mark))) return;
  for (const name of ["postgres", "store"]) {
    if (!(await exists(join(dataDir, name)))) continue;
    throw new Failure(
      "usage",
      `${join(dataDir, name)} was not made by a demo; nothing was done. ` +
        "Name an empty folder with DATA_DIR, or run the demo somewhere else.",
    );
  }
  try {
    await mkdir(dataDir, { recursive: true });
    // The mark is written first, so that a demo that was killed can be repeated.
    await writeFile(join(dataDir, mark), markText);
  } catch (cause) {
    throw new Failure(
      "usage",
      `The demo can't keep its data in ${dataDir} (${cause instanceof Error ? cause.message : "unknown"}). ` +
        "Name a folder that may be written to with DATA_DIR, or run the demo somewhere else.",
      { cause },
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
