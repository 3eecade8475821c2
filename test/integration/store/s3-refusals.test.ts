import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
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

    test("a 404 of something that is not S3 is unavailable, not missing", async () => {
      const web = await startWebServer(404, "<html>not here</html>");
      const wrong = open({ connection: { ...server.connection, endpoint: web.endpoint } });
      await expectFailure("store_unavailable", () => wrong.get(key("a.json")));
      await web.close();
    });

    test("a 200 of something that is not S3 is neither an empty listing nor a stored object", async () => {
      const web = await startWebServer(200, "<html>welcome</html>");
      const wrong = open({ connection: { ...server.connection, endpoint: web.endpoint } });
      await expectFailure("store_unavailable", () => listKeys(wrong, ""));
      await expectFailure("store_unsupported", () => wrong.put(key("a"), bytesBody(Buffer.from("x"))));
      await expectFailure("store_unsupported", () => wrong.get(key("a")));
      await expectFailure("store_unavailable", () => wrong.delete([key("a"), key("b")]));
      await web.close();
    });
  });
});

interface WebServer {
  readonly endpoint: string;
  close(): Promise<void>;
}

async function startWebServer(status: number, body: string): Promise<WebServer> {
  const http: Server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "text/html" }).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
