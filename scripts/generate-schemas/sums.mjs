// @ts-check
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/** The generated file that says which sources the others were written from, in the format of `sha256sum --check`. */
export const sumsName = "SHA256SUMS";

/**
 * @param {ReadonlyMap<string, string | Buffer>} files by path from the root of the project
 */
export function sumsText(files) {
  const lines = [...files].map(
    ([path, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${path}\n`,
  );
  return lines.join("");
}

/**
 * All that decides the generated files, apart from the installed packages: schemas, examples and the generator.
 * @param {URL} root
 */
export async function sourceFiles(root) {
  return new Map([
    ...(await readFolder(root, "schemas", /\.(json|yaml)$/)),
    ...(await readFolder(root, "schemas/examples", /\.json$/)),
    ...(await readFolder(root, "scripts", /^generate-schemas\.mjs$/)),
    ...(await readFolder(root, "scripts/generate-schemas", /\.mjs$/)),
  ]);
}

/** @param {URL} root */
export function generatedFiles(root) {
  return readFolder(root, "schemas/generated", new RegExp(`^(?!${sumsName}$)`));
}

/**
 * Files of one folder whose names fit, by path from the root and in order; none of a folder that does not exist.
 * @param {URL} root
 * @param {string} folder
 * @param {RegExp} name
 */
async function readFolder(root, folder, name) {
  const names = await readdir(new URL(folder, root)).catch(() => /** @type {string[]} */ ([]));
  const paths = names
    .filter((found) => name.test(found))
    .sort()
    .map((found) => `${folder}/${found}`);
  /** @type {readonly (readonly [string, Buffer])[]} */
  const files = await Promise.all(
    paths.map(async (path) => /** @type {const} */ ([path, await readFile(new URL(path, root))])),
  );
  return new Map(files);
}
