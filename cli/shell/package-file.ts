import { readdir, readFile } from "node:fs/promises";
import { Failure } from "../../core/ground/failure.ts";

/** A file of the installation by its path from the root. What the build makes is below `dist`. */
export async function packageFile(path: string): Promise<string> {
  return await fromRoot(path, (url) => readFile(url, "utf8"));
}

/** The names of the files in a folder of the installation. */
export async function packageFolder(path: string): Promise<readonly string[]> {
  return await fromRoot(path, async (url) => (await readdir(url)).sort());
}

async function fromRoot<Result>(path: string, read: (url: URL) => Promise<Result>): Promise<Result> {
  // The build nests one level deeper.
  for (const up of ["../../..", "../.."]) {
    const found = await read(new URL(`${up}/${path}`, import.meta.url)).catch(() => undefined);
    if (found !== undefined) return found;
  }
  throw new Failure("internal", `The installation lacks ${path}; install it again.`);
}
