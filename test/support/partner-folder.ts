import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { makeSandbox } from "../../cli/publish/snapshot/sandbox-tenant.ts";
import { parseTenantId } from "../../core/ground/ids.ts";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import { runCommand } from "./command-line.ts";
import { openServer } from "./open-server.ts";

/** What a partner is given, as the command writes it. */
export type PartnerFolder = Awaited<ReturnType<typeof exportedFolder>>;

export const partnerPages = [
  "index",
  "guide",
  "reference",
  "examples",
  "what-can-go-wrong",
  "client",
  "sandbox",
  "changes",
] as const;

export async function exportedFolder(baseUrl = "https://programs.tours-of-test.example/partners") {
  const parent = await mkdtemp(join(tmpdir(), "partner-folder-"));
  const directory = join(parent, "folder");
  const store = join(parent, "store");
  await makeSandbox(createFileStore({ directory: store }), parseTenantId("sandbox"), new Date(0));
  const args = ["--company", "Test & Tours", "--base-url", baseUrl, "--contact", "api@tours-of-test.example"];
  const env = { STORE_URL: `file:${store}` };
  const { status, stderr } = await runCommand(["docs", "export", ...args, "--out", directory], { env });
  if (status !== 0) throw new Error(stderr);
  return { directory, close: () => rm(parent, { recursive: true, force: true }) };
}

/** A web server of the plainest kind, with the folder below a path. */
export type WebServer = Awaited<ReturnType<typeof serveFolder>>;

export async function serveFolder(directory: string) {
  /** Paths that were asked for and are not there. */
  const missing: string[] = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "", "http://localhost").pathname.replace(/^\/for\/partners\//, "");
    const bytes = await readFile(join(directory, path === "" ? "index.html" : path)).catch(() => undefined);
    if (bytes === undefined) missing.push(path);
    const type = extname(path) === ".json" ? "application/json" : "text/html; charset=utf-8";
    response.writeHead(bytes === undefined ? 404 : 200, { "content-type": type }).end(bytes);
  });
  const { url, close } = await openServer(server);
  return { url: `${url}/for/partners/`, missing, close };
}
