import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "../../core/ground/failure.ts";
import { placeFailure } from "./place-failure.ts";

/** Fails before the run, which may take minutes, when the report could not be written after it. */
export async function assertWritable(path: string): Promise<void> {
  try {
    const file = await stat(path).catch(() => undefined);
    if (file?.isDirectory()) throw new Failure("usage", `--report: ${path} is a folder; name a file.`);
    // With `/.` at its end, a path that is no folder is refused, too.
    await access(file === undefined ? `${dirname(path)}/.` : path, constants.W_OK);
  } catch (error) {
    throw placeFailure(error, `--report: the file ${path}`, "Nothing was built.");
  }
}

export async function writeReport(path: string, report: object): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    const what = `The report could not be written to ${path}; the run itself ended as printed.`;
    throw new Failure("usage", what, { cause: error });
  }
}
