import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "../../../core/file-store/file-store.ts";
import { describeObjectStoreContract } from "../../support/object-store-contract.ts";
import { openTestStore, type StoreOpening } from "../../support/store-opening.ts";

describeObjectStoreContract("file:", () => made(openTestStore));

describeObjectStoreContract(
  "file: on a system without /proc",
  () => made(({ directory }) => createFileStore({ directory, hasProc: false })),
  { withoutProcesses: true },
);

type FileOpening = Extract<StoreOpening, { readonly kind: "file" }>;

async function made(open: (opening: FileOpening) => ReturnType<typeof openTestStore>) {
  const directory = await mkdtemp(join(tmpdir(), "file-store-"));
  const opening: FileOpening = { kind: "file", directory };
  const store = open(opening);
  return {
    store,
    opening,
    async close() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
