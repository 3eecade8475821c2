import type { Company } from "./company.ts";
import { mistypedToken, type TrialRequest, trialFolders } from "./trial-requests.ts";

/** The name of the collection's environment, which users choose in Bruno. */
const brunoEnvironment = "production";

/** The trial requests as a Bruno collection: its files by their paths in the collection's folder. */
export function brunoCollection({ name, baseUrl }: Company): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const collection = { version: "1", name: `${name} programs API`, type: "collection", ignore: [] };
  files.set("bruno.json", `${JSON.stringify(collection, null, 2)}\n`);
  files.set(
    "collection.bru",
    file(block("auth", ["mode: bearer"]), block("auth:bearer", ["token: {{token}}"])),
  );
  files.set(
    `environments/${brunoEnvironment}.bru`,
    file(block("vars", [`baseUrl: ${baseUrl}`]), "vars:secret [\n  token\n]"),
  );
  for (const [at, folder] of trialFolders.entries()) {
    const meta = block("meta", [`name: ${folder.name}`, `seq: ${at + 1}`]);
    files.set(`${folder.name}/folder.bru`, file(meta));
    for (const [place, request] of folder.requests.entries()) {
      files.set(`${folder.name}/${fileName(request)}.bru`, requestFile(request, place + 1));
    }
  }
  return files;
}

const prelude = [
  "const status = res.getStatus();",
  "const body = res.getBody();",
  "const header = (name) => res.getHeader(name.toLowerCase());",
  "const keep = (name, value) => bru.setVar(name, value);",
  "const check = (title, hold) => test(title, hold);",
];

function requestFile({ name, description, method, path, token, checks }: TrialRequest, seq: number): string {
  const auth = { yours: "inherit", none: "none", mistyped: "bearer" }[token];
  return file(
    block("meta", [`name: ${name}`, "type: http", `seq: ${seq}`]),
    block(method.toLowerCase(), [`url: {{baseUrl}}${path}`, "body: none", `auth: ${auth}`]),
    ...(token === "mistyped" ? [block("auth:bearer", [`token: ${mistypedToken}`])] : []),
    block("tests", [...prelude, ...checks]),
    block("docs", [description]),
  );
}

/** A file name that every file system takes: letters, digits and hyphens. */
function fileName({ name }: TrialRequest): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
}

function block(name: string, lines: readonly string[]): string {
  return `${name} {\n${lines.map((line) => `  ${line}\n`).join("")}}`;
}

function file(...blocks: readonly string[]): string {
  return `${blocks.join("\n\n")}\n`;
}
