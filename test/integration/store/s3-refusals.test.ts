import { inspect } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { bytesBody } from "../../../core/object-body.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { expectFailure, key, listKeys } from "../../support/object-store-probes.ts";
import { useS3Driver } from "../../support/s3-driver.ts";
import type { S3Server } from "../../support/s3-server.ts";

describe("the S3 driver", () => {
  const driver = useS3Driver();
  const { open } = driver;
  let server: S3Server;
  let store: ObjectStore;
  beforeEach(() => {
    server = driver.server;
    store = open();
  });

  describe("permissions", () => {
    test("403 for a get that may be a missing object is denied, never missing: names both grants", async () => {
      server.quirks.mayList = false;
      const failure = await expectFailure("store_denied", () => store.get(key("auth/tokens.json")));
      expect(failure.message).toContain("s3:GetObject on arn:aws:s3:::programs/*");
      expect(failure.message).toContain("s3:ListBucket on arn:aws:s3:::programs");
    });

    test("403 for put, list and delete names what to grant, and is not tried again", async () => {
      Object.assign(server.quirks, { mayPut: false, mayList: false, mayDelete: false });
      const prefixed = open({ prefix: "p/" });
      const put = await expectFailure("store_denied", () =>
        prefixed.put(key("a"), bytesBody(Buffer.from("x"))),
      );
      expect(put.message).toContain("s3:PutObject and s3:GetObject on arn:aws:s3:::programs/p/*");
      const list = await expectFailure("store_denied", () => listKeys(prefixed, ""));
      expect(list.message).toContain("s3:ListBucket on arn:aws:s3:::programs");
      const many = await expectFailure("store_denied", () => prefixed.delete([key("a"), key("b")]));
      expect(many.message).toContain("s3:DeleteObject on arn:aws:s3:::programs/p/*");
      await expectFailure("store_denied", () => prefixed.delete([key("a")]));
      expect(server.log).toHaveLength(4);
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
