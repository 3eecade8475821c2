import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defaultTerminalStatuses } from "../../../core/settings.ts";
import { type ExportedFolder, withNewFolder } from "../../operate/snapshots/export-snapshot.ts";
import { sandboxPrograms } from "../../partners/sandbox/sandbox-programs.ts";
import { renderedProgram } from "../../publish/content/checked-program.ts";
import { type ListedProgram, listBodies } from "../../publish/content/lists.ts";
import { terminalStatusTest } from "../../publish/public-program/capacity.ts";
import { publicProgram } from "../../publish/public-program/public-program.ts";
import { packageFile, packageFolder } from "../../shell/package-file.ts";
import { compactJson } from "./compact-json.ts";
import type { Company } from "./company.ts";
import { exampleBaseUrl, exchangesFile, pageNames, siteDocument } from "./site-page.ts";

/**
 * W71: writes the partner's folder to a new or an empty folder, as a whole or not at all. Throws `usage` when it can't be
 * written.
 */
export async function exportPartnerFolder(company: Company, out: string): Promise<ExportedFolder> {
  const files = await partnerFolder(company);
  let bytes = 0;
  const directory = await withNewFolder(out, async (partial) => {
    for (const [path, text] of files) {
      const file = join(partial, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: "wx" });
      bytes += Buffer.byteLength(text);
    }
  });
  return { directory, files: files.size, bytes };
}

/**
 * W71: the files of the folder by their paths in it. They depend on nothing but the company and the version of the software, so
 * that two exports can be compared.
 */
async function partnerFolder(company: Company): Promise<FolderFiles> {
  const stylesheet = await packageFile("docs/partner-folder.css");
  const files = new Map<string, string>();
  for (const name of pageNames(company)) {
    files.set(`${name}.html`, await siteDocument(name, company, stylesheet));
  }
  files.set("openapi.json", `${JSON.stringify(await companyDocument(company), null, 2)}\n`);
  const answers: readonly { name: string; body: unknown }[] = JSON.parse(await packageFile(exchangesFile));
  for (const { name, body } of answers) files.set(`examples/${name}.json`, compactJson(body));
  if (company.hasSandbox) files.set("sandbox-tour.sh", await companyFile(company, "docs/sandbox-tour.sh"));
  for (const [path, text] of await mockFiles()) files.set(path, text);
  for (const [path, text] of await clientFiles(company)) files.set(path, text);
  return files;
}

/** A file of the installation with the company's address in its examples. */
async function companyFile({ baseUrl }: Company, path: string): Promise<string> {
  return (await packageFile(path)).replaceAll(exampleBaseUrl, () => baseUrl);
}

/**
 * The OpenAPI 3.1 document of the API, generated from `schemas/`. Common tools read it (W65). It keeps all that released
 * documents promise (W66). Its objects are open, so that clients take the answers of later versions (W65).
 */
export async function openapiDocument(): Promise<string> {
  return await packageFile("schemas/generated/openapi.json");
}

/** W71: the document with the company's address and contact. */
async function companyDocument({ name, baseUrl, contact }: Company): Promise<object> {
  const document: OpenApiHead = JSON.parse(await openapiDocument());
  const description = document.info.description.replaceAll(document.servers[0]?.url ?? "", () => baseUrl);
  const info = { ...document.info, description, contact: { name, [contact.kind]: contact.text } };
  const server = { url: baseUrl, description: `The gateway of ${name}.` };
  return { ...document, info, servers: [server] };
}

/** The document is our own, so its shape is known. */
interface OpenApiHead {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
}

/** Files of the folder by their paths in it. */
type FolderFiles = ReadonlyMap<string, string>;

/** The client for partners to copy, in three languages. */
async function clientFiles(company: Company): Promise<FolderFiles> {
  const files = new Map<string, string>();
  for (const [folder, source, ending] of languages) {
    for (const name of await packageFolder(source)) {
      if (!name.endsWith(ending) || name.endsWith(`.d${ending}`)) continue;
      files.set(`client/${folder}/${name}`, await companyFile(company, `${source}/${name}`));
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
async function mockFiles(): Promise<FolderFiles> {
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
