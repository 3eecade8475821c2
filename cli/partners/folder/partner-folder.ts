import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ExportedFolder, withNewFolder } from "../../operate/snapshots/export-snapshot.ts";
import { packageFile } from "../../shell/package-file.ts";
import { companyDocument } from "./api-document.ts";
import { clientFiles, mockFiles } from "./client-and-mock.ts";
import { compactJson } from "./compact-json.ts";
import type { Company } from "./company.ts";
import { exampleBaseUrl, exchangesFile, type GuidePageName, guidePage, guidePages } from "./guide-page.ts";
import { siteDocument } from "./site-page.ts";

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
async function partnerFolder(company: Company): Promise<ReadonlyMap<string, string>> {
  const document = await companyDocument(company);
  const stylesheet = await packageFile("docs/partner-folder.css");
  const exchanges: readonly Exchange[] = JSON.parse(await packageFile(exchangesFile));
  const files = new Map<string, string>();
  for (const name of guideNames(company)) {
    files.set(`${name}.html`, siteDocument(await guidePage(name, company), company, stylesheet));
  }
  files.set("openapi.json", `${JSON.stringify(document, null, 2)}\n`);
  for (const exchange of exchanges) files.set(`examples/${exchange.name}.json`, compactJson(exchange.body));
  if (company.hasSandbox) files.set("sandbox-tour.sh", await sandboxTour(company));
  for (const [path, text] of await mockFiles()) files.set(path, text);
  for (const [path, text] of await clientFiles(company.baseUrl)) files.set(path, text);
  return files;
}

/** What is read of a recorded answer. */
interface Exchange {
  readonly name: string;
  readonly body: unknown;
}

function guideNames({ hasSandbox }: Company): readonly GuidePageName[] {
  const names = Object.keys(guidePages) as GuidePageName[];
  return names.filter((name) => hasSandbox || name !== "sandbox");
}

async function sandboxTour({ baseUrl }: Company): Promise<string> {
  return (await packageFile("docs/sandbox-tour.sh")).replaceAll(exampleBaseUrl, () => baseUrl);
}
