import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSupportDesk, type SupportDesk } from "./support-desk.ts";

export const proxySecret = "0123456789abcdef0123456789abcdef";

/** A support desk with snapshots, and the file by which `inspect` knows who may read its pages. */
export interface SignInDesk {
  readonly desk: SupportDesk;
  readonly directory: string;
  /** Has `proxySecret`. */
  readonly secretFile: string;
  close(): Promise<void>;
}

export async function openSignInDesk(): Promise<SignInDesk> {
  const desk = await openSupportDesk();
  await desk.build();
  const directory = await mkdtemp(join(tmpdir(), "sign-in-desk-"));
  const secretFile = join(directory, "secret");
  await writeFile(secretFile, `${proxySecret}\n`);
  return {
    desk,
    directory,
    secretFile,
    async close() {
      await rm(directory, { recursive: true, force: true });
      await desk.close();
    },
  };
}
