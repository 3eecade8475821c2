import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const cacheFolder = new URL("../../node_modules/.cache/test-typescript/", import.meta.url);

/** Node's module hook that turns TypeScript into JavaScript by erasing the types: Node 20 cannot do that itself. */
export async function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  return { format: "module", source: await javascript(fileURLToPath(url)), shortCircuit: true };
}

/** Kept by content: loading the compiler takes longer than all the rest of a short process. */
async function javascript(path) {
  const source = await readFile(path, "utf8");
  const name = createHash("sha256").update(`${path}\n${source}`).digest("hex");
  const cached = new URL(`${name}.mjs`, cacheFolder);
  try {
    return await readFile(cached, "utf8");
  } catch {
    const output = await erased(path, source);
    await mkdir(cacheFolder, { recursive: true });
    // Under another name first: processes that start together must not read a half-written file.
    const fresh = new URL(`${name}.${process.pid}`, cacheFolder);
    await writeFile(fresh, output);
    await rename(fresh, cached);
    return output;
  }
}

async function erased(path, source) {
  const { default: ts } = await import("typescript");
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
    inlineSourceMap: true,
  };
  return ts.transpileModule(source, { fileName: path, compilerOptions }).outputText;
}
