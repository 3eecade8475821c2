import { expect, test } from "vitest";
import { putImmutable } from "../../../cli/publish/snapshot/stored-snapshot.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { currentKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";

const store = fileStoreForEachTest();
const key = currentKey(parseTenantId("acme"));
const { signal } = new AbortController();
const put = (text: string): Promise<void> => putImmutable(store, key, bytesBody(Buffer.from(text)), signal);

test("an object that is stored already is taken for stored, and other content under its key for a fault", async () => {
  await put("one");
  await put("one");
  await expect(put("two")).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("is taken by other content"),
  });
});
