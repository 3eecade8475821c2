import { afterEach, beforeEach } from "vitest";
import type { ObjectStore } from "../../core/store/object-store.ts";
import type { S3StoreOptions } from "../../core/store/s3-store/s3-store.ts";
import { forAllTests } from "./lasting.ts";
import { startS3Server } from "./s3-server.ts";
import type { S3OperationName } from "./s3-server-protocol.ts";

/** For the tests of the surrounding `describe`. */
export function useS3Driver() {
  const server = forAllTests(startS3Server);
  const opened: ObjectStore[] = [];
  beforeEach(() => server.reset());
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  return {
    get server() {
      return server;
    },
    /** Another store on the server; closed after the test. */
    open(options?: Partial<S3StoreOptions>) {
      const made = server.openStore(options);
      opened.push(made);
      return made;
    },
    requests: (operation: S3OperationName) => server.log.filter((request) => request.operation === operation),
  };
}
