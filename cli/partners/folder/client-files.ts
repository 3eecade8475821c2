import { exampleBaseUrl } from "./guide-page.ts";
import { packageFile, packageFolder } from "./package-file.ts";

/** The client for partners to copy, by language: the files by their paths in the folder `client`. */
export async function clientFiles(baseUrl: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const [folder, source, ending] of languages) {
    for (const name of await packageFolder(source)) {
      if (!name.endsWith(ending) || name.endsWith(`.d${ending}`)) continue;
      const text = (await packageFile(`${source}/${name}`)).replaceAll(exampleBaseUrl, () => baseUrl);
      files.set(`${folder}/${name}`, text);
    }
  }
  for (const folder of ["typescript", "javascript"]) {
    files.set(`${folder}/package.json`, '{ "private": true, "type": "module" }\n');
  }
  return files;
}

/** For each folder: the source of its files, and the ending of their names. */
const languages = [
  ["typescript", "docs/client", ".ts"],
  ["javascript", "dist/docs/client", ".js"],
  ["python", "docs/client", ".py"],
  ["python/programs_client", "docs/client/programs_client", ".py"],
] as const;
