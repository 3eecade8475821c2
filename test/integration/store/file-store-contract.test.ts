import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeObjectStoreContract } from "../../support/object-store-contract.ts";
import { openTestStore, type StoreOpening } from "../../support/store-opening.ts";

describeObjectStoreContract("file:", async () => {
  const directory = await mkdtemp(join(tmpdir(), "file-store-"));
  const opening: StoreOpening = { kind: "file", directory };
  const store = openTestStore(opening);
  return {
    store,
    opening,
    async dispose() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
});
