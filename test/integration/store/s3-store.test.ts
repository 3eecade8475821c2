import { setImmediate as turn } from "node:timers/promises";
import { inspect } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { expectFailure, getText, key, listKeys, putText } from "../../support/object-store-probes.ts";
import { useS3Driver } from "../../support/s3-driver.ts";
import type { S3Server } from "../../support/s3-server.ts";

describe("the S3 driver", () => {
  const driver = useS3Driver();
  const { open, requests } = driver;
  let server: S3Server;
  let store: ObjectStore;
  beforeEach(() => {
    server = driver.server;
    store = open();
  });

  describe("what a put sends", () => {
    test("are the bytes' type, length and SHA-256, signed and to be verified, and no trailer or caching", async () => {
      const body = bytesBody(Buffer.from('{"a":1}'));
      await store.put(key("a.json"), body, { condition: { kind: "absent" } });
      const { headers } = requests("PutObject")[0] ?? { headers: {} };
      expect(headers).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        "content-length": "7",
        "if-none-match": "*",
        "x-amz-content-sha256": body.sha256,
        "x-amz-checksum-sha256": Buffer.from(body.sha256, "hex").toString("base64"),
      });
      for (const name of [
        "cache-control",
        "x-amz-trailer",
        "transfer-encoding",
        "content-encoding",
        "expect",
      ])
        expect(headers).not.toHaveProperty(name);
    });
  });

  describe("the prefix of the store's address", () => {
    test("stands before every key in the bucket and in none that the driver gives", async () => {
      const prefixed = open({ prefix: "team/store/" });
      await putText(prefixed, "tenants/a/current.json", "{}");
      server.objects.set("team/store-other/x", { ...present("team/store/tenants/a/current.json") });
      expect([...server.objects.keys()]).toContain("team/store/tenants/a/current.json");
      expect(await listKeys(prefixed, "")).toEqual(["tenants/a/current.json"]);
      expect(await listKeys(prefixed, "", "tenants/a/current.json")).toEqual([]);
      expect(prefixed.address).toBe("s3://programs/team/store/");
      await prefixed.delete([key("tenants/a/current.json")]);
      expect([...server.objects.keys()]).toEqual(["team/store-other/x"]);
    });

    test("may be an object of its own, as consoles make one for a folder: it is not listed", async () => {
      const prefixed = open({ prefix: "team/" });
      await putText(prefixed, "a.json", "{}");
      server.objects.set("team/", { ...present("team/a.json"), bytes: Buffer.alloc(0) });
      expect(await listKeys(prefixed, "")).toEqual(["a.json"]);
    });

    test("counts for S3's limit of 1024 bytes on a key", async () => {
      const prefixed = open({ prefix: `${"p".repeat(100)}/` });
      const long = `${Array.from({ length: 64 }, () => "s".repeat(15)).join("/")}s`;
      await putText(store, long, "fits");
      await expectFailure("usage", async () => prefixed.get(key(long)));
    });

    const present = (name: string) => {
      const object = server.objects.get(name);
      if (object === undefined) throw new Error(`no object ${name}`);
      return object;
    };
  });

  describe("what a store turns out not to take is asked for once", () => {
    test("a checksum header", async () => {
      server.quirks.checksums = "refused";
      for (const name of ["a.json", "b.json", "c.json"]) await putText(store, name, name);
      expect(requests("PutObject").map(({ status }) => status)).toEqual([400, 200, 200, 200]);
    });

    test("a batch of deletes", async () => {
      server.quirks.deleteObjects = "missing";
      for (const name of ["a.json", "b.json", "c.json", "d.json"]) await putText(store, name, name);
      await store.delete([key("a.json"), key("b.json")]);
      await store.delete([key("c.json"), key("d.json")]);
      expect(requests("DeleteObjects")).toHaveLength(1);
      expect(requests("DeleteObject")).toHaveLength(4);
      expect(server.objects.size).toBe(0);
    });

    test("a quoted If-Match: repeated without quotes when the object still has the tag", async () => {
      server.quirks.ifMatch = "unquoted";
      let etag = await putText(store, "a.json", "0");
      server.log.length = 0;
      for (const text of ["1", "2", "3"])
        etag = await putText(store, "a.json", text, { kind: "match", etag });
      expect(requests("PutObject").map(({ headers }) => headers["if-match"]?.startsWith('"'))).toEqual([
        true,
        false,
        false,
        false,
      ]);
      expect(await getText(store, "a.json")).toBe("3");
    });

    test("a 412 for a tag that the object no longer has is not tried again", async () => {
      const etag = await putText(store, "a.json", "0");
      await putText(store, "a.json", "1");
      server.log.length = 0;
      const late = await store.put(key("a.json"), bytesBody(Buffer.from("2")), {
        condition: { kind: "match", etag },
      });
      expect(late).toEqual({ kind: "refused" });
      expect(requests("PutObject")).toHaveLength(1);
    });
  });

  test("P183: a wrong Date of an answer moves no signature's time", async () => {
    // Near enough to be accepted, as the answer of one node or proxy may be.
    server.quirks.clockAheadMs = 14 * 60_000;
    for await (const _ of store.list("")) break;
    server.quirks.clockAheadMs = -2 * 60_000;
    await store.put(key("a.json"), bytesBody(Buffer.from("{}")), { condition: { kind: "absent" } });
    expect(requests("PutObject").map(({ status }) => status)).toEqual([200]);
  });

  test("P183: a clock that is an hour off is corrected by the store's Date header", async () => {
    await putText(store, "a.json", "{}");
    server.quirks.clockAheadMs = 3_600_000;
    const other = open();
    expect(await getText(other, "a.json")).toBe("{}");
    expect(requests("GetObject").map(({ status }) => status)).toEqual([403, 200]);
    expect(await getText(other, "a.json")).toBe("{}");
    expect(requests("GetObject")).toHaveLength(3);
  });

  test("not more puts are under way than the limit allows, and all of them get through", async () => {
    let underWay = 0;
    let most = 0;
    server.onRequest(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      for (let turns = 0; turns < 20; turns += 1) await turn();
      underWay -= 1;
    });
    const body = bytesBody(Buffer.from("{}"));
    await Promise.all(Array.from({ length: 100 }, (_, number) => store.put(key(`a/${number}`), body)));
    expect(most).toBeGreaterThan(16);
    expect(most).toBeLessThanOrEqual(32);
    expect(server.objects.size).toBe(100);
  });

  test("a listing in folders is a request per page of folders, not of objects", async () => {
    for (let number = 0; number < 30; number += 1) await putText(store, `t/${number % 3}/${number}`, "{}");
    server.log.length = 0;
    server.quirks.pageSize = 2;
    const folders: string[] = [];
    for await (const folder of store.listFolders("t/")) folders.push(folder);
    expect(folders).toEqual(["0", "1", "2"]);
    expect(requests("ListObjectsV2")).toHaveLength(2);
  });

  describe("permissions", () => {
    test("a 403 is denied, and not tried again", async () => {
      Object.assign(server.quirks, { mayPut: false, mayGet: false, mayList: false, mayDelete: false });
      await expectFailure("store_denied", () => store.put(key("a"), bytesBody(Buffer.from("x"))));
      await expectFailure("store_denied", () => store.get(key("auth/tokens.json")));
      await expectFailure("store_denied", () => listKeys(store, ""));
      await expectFailure("store_denied", () => store.delete([key("a"), key("b")]));
      await expectFailure("store_denied", () => store.delete([key("a")]));
      expect(server.log).toHaveLength(5);
    });

    test("wrong credentials are denied, with the settings that hold them", async () => {
      for (const credentials of [
        { accessKeyId: "unknown", secretAccessKey: "test-secret" },
        { accessKeyId: "test-key", secretAccessKey: "wrong-secret" },
      ]) {
        const wrong = open({ connection: { ...server.connection, credentials } });
        const failure = await expectFailure("store_denied", () => wrong.get(key("a.json")));
        expect(failure.message).toContain("AWS_ACCESS_KEY_ID");
        expect(inspect(failure, { depth: 10, showHidden: true })).not.toMatch(
          /wrong-secret|test-secret|Signature=/,
        );
      }
    });
  });

  describe("an address that is wrong", () => {
    test("a region that is not the bucket's is a fault of the settings", async () => {
      const wrong = open({ connection: { ...server.connection, region: "us-east-1" } });
      const failure = await expectFailure("settings", () => wrong.get(key("a.json")));
      expect(failure.message).toContain("AWS_REGION");
    });

    test("a bucket that does not exist is no missing object", async () => {
      const wrong = open({ bucket: "nowhere" });
      const failure = await expectFailure("store_unavailable", () => wrong.get(key("a.json")));
      expect(failure.message).toContain("there is no bucket nowhere");
    });
  });
});
