import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const support = new URL("../../support/", import.meta.url);

/** Runs the spool in a process whose files can't grow beyond so many blocks of 512 bytes, as on a disk that fills up. */
async function spooled(blocks: string): Promise<string> {
  const loader = new URL("register-typescript.mjs", support).href;
  const worker = fileURLToPath(new URL("spool-worker.ts", support));
  const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
  const node = [process.execPath, "--import", loader, worker];
  return (await promisify(execFile)("sh", ["-c", script, ...node])).stdout.trim();
}

describe("a disk that fills up", () => {
  test("fails the build: what is left of a half-written spool is never published", async () => {
    expect(await spooled("4096")).toBe("EFBIG");
  });

  test("is not seen while there is room", async () => {
    expect(await spooled("unlimited")).toBe("whole");
  });
});
