import { defaultTerminalStatuses } from "../../../core/settings.ts";
import { sandboxPrograms } from "../../partners/sandbox/sandbox-programs.ts";
import { renderedProgram } from "../../publish/content/checked-program.ts";
import { type ListedProgram, listBodies } from "../../publish/content/lists.ts";
import { terminalStatusTest } from "../../publish/public-program/capacity.ts";
import { publicProgram } from "../../publish/public-program/public-program.ts";
import { packageFile, packageFolder } from "../../shell/package-file.ts";
import { exampleBaseUrl } from "./guide-page.ts";

/** Files of the folder by their paths in it. */
export type FolderFiles = ReadonlyMap<string, string>;

/** The client for partners to copy, in three languages. */
export async function clientFiles(baseUrl: string): Promise<FolderFiles> {
  const files = new Map<string, string>();
  for (const [folder, source, ending] of languages) {
    for (const name of await packageFolder(source)) {
      if (!name.endsWith(ending) || name.endsWith(`.d${ending}`)) continue;
      const text = (await packageFile(`${source}/${name}`)).replaceAll(exampleBaseUrl, () => baseUrl);
      files.set(`client/${folder}/${name}`, text);
    }
  }
  for (const folder of ["typescript", "javascript"]) {
    files.set(`client/${folder}/package.json`, '{ "private": true, "type": "module" }\n');
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

/** W110: a mock of the API. It answers with the programs of the sandbox as a gateway does, byte for byte. */
export async function mockFiles(): Promise<FolderFiles> {
  const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };
  const listed: ListedProgram[] = [];
  const details: Record<string, unknown> = {};
  for (const source of sandboxPrograms) {
    const program = publicProgram(source, rules);
    if (program.kind !== "published") continue;
    const { listItem, legacyItem, detail } = renderedProgram(program, "object");
    const { departureDate } = program.listItem;
    listed.push({ programId: program.programId, departureDate, listItem, legacyItem });
    details[program.programId] = JSON.parse(detail);
  }
  const bodies = listBodies(listed);
  const [list, legacy] = [bodies.list, bodies.legacy].map(({ bytes }) => JSON.parse(bytes.toString()));
  return new Map([
    ["mock/mock-api.mjs", await packageFile("docs/mock-api.mjs")],
    ["mock/programs.json", `${JSON.stringify({ list, legacy, details }, null, 2)}\n`],
  ]);
}
