import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defaultTerminalStatuses } from "../../../core/process/settings.ts";
import { renderedProgram } from "../../publish/content/checked-program.ts";
import type { ListedProgram } from "../../publish/content/lists.ts";
import { listBodies, listedProgram } from "../../publish/content/snapshot-content.ts";
import { publicProgram, terminalStatusTest } from "../../publish/public-program/public-program.ts";
import type { ExportedFolder } from "../../read/snapshots/export-snapshot.ts";
import { withNewFolder } from "../../shell/new-folder.ts";
import { packageFile, packageFolder } from "../../shell/package-file.ts";
import { sandboxPrograms } from "../sandbox/sandbox-programs.ts";
import { compactJson } from "./compact-json.ts";
import type { Company } from "./company.ts";
import { exampleBaseUrl, exchangesFile, pageNames, siteDocument } from "./site-page.ts";

/** Writes a file of the folder by its path in it. */
type WriteFile = (path: string, text: string) => Promise<void>;

/**
 * W71: writes the partner's folder to a new or an empty folder, as a whole or not at all. Its files depend on
 * nothing but the company and the version of the software, so that two exports can be compared. Throws
 * `usage` when it can't be written.
 */
export async function exportPartnerFolder(company: Company, out: string): Promise<ExportedFolder> {
  const stylesheet = await packageFile("docs/partner-folder.css");
  let files = 0;
  let bytes = 0;
  const directory = await withNewFolder(out, async (partial) => {
    const write: WriteFile = async (path, text) => {
      const file = join(partial, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: "wx" });
      files += 1;
      bytes += Buffer.byteLength(text);
    };
    for (const name of pageNames(company)) {
      await write(`${name}.html`, await siteDocument(name, company, stylesheet));
    }
    await write("openapi.json", `${JSON.stringify(await companyDocument(company), null, 2)}\n`);
    const answers: readonly { name: string; body: unknown }[] = JSON.parse(await packageFile(exchangesFile));
    for (const { name, body } of answers) await write(`examples/${name}.json`, compactJson(body));
    if (company.hasSandbox)
      await write("sandbox-tour.sh", await companyFile(company, "docs/sandbox-tour.sh"));
    await writeMock(write);
    await writeClients(company, write);
  });
  return { directory, files, bytes };
}

/** A file of the installation with the company's address in its examples. */
async function companyFile({ baseUrl }: Company, path: string): Promise<string> {
  return (await packageFile(path)).replaceAll(exampleBaseUrl, () => baseUrl);
}

/**
 * The OpenAPI 3.1 document of the API, generated from `schemas/`. Common tools read it (W65). It keeps all
 * that released ones promise (W66). Its objects are open, so that clients take later answers (W65).
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

/** The client for partners to copy, in three languages. */
async function writeClients(company: Company, write: WriteFile): Promise<void> {
  for (const [folder, source, ending] of languages) {
    for (const name of await packageFolder(source)) {
      if (!name.endsWith(ending) || name.endsWith(`.d${ending}`)) continue;
      await write(`client/${folder}/${name}`, await companyFile(company, `${source}/${name}`));
    }
  }
  for (const folder of ["typescript", "javascript"]) {
    await write(`client/${folder}/package.json`, '{ "private": true, "type": "module" }\n');
  }
}

/** For each folder: the source of its files, and the ending of their names. */
const languages = [
  ["typescript", "docs/client", ".ts"],
  ["javascript", "dist/docs/client", ".js"],
  ["python", "docs/client", ".py"],
  ["python/programs_client", "docs/client/programs_client", ".py"],
] as const;

/** W110: a mock of the API. It answers with the programs of the sandbox as a gateway does, byte for byte. */
async function writeMock(write: WriteFile): Promise<void> {
  const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };
  const listed: ListedProgram[] = [];
  const details: Record<string, unknown> = {};
  for (const source of sandboxPrograms) {
    const program = publicProgram(source, rules);
    if (program.kind !== "published") continue;
    const rendered = renderedProgram(program, "object");
    const { programId, listItem } = program;
    listed.push(listedProgram(programId, listItem.departureDate, rendered));
    details[programId] = JSON.parse(rendered.detail);
  }
  const bodies = listBodies(listed);
  const [list, legacy] = [bodies.list, bodies.legacy].map(({ bytes }) => JSON.parse(bytes.toString()));
  await write("mock/mock-api.mjs", await packageFile("docs/mock-api.mjs"));
  await write("mock/programs.json", `${JSON.stringify({ list, legacy, details }, null, 2)}\n`);
}
