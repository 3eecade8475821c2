import { createFileStore } from "../../core/file-store/file-store.ts";
import { createLogger } from "../../core/logger.ts";
import { createGateway } from "../../gateway/gateway.ts";
import type { StoreReader } from "../../gateway/store-watch.ts";
import { testSettings } from "./gateway-fixture.ts";
import type { SupportDesk } from "./support-desk.ts";

/** A gateway in this process over a support desk's store. */
export interface DeskGateway {
  /** Base URL. */
  readonly api: string;
  /** What it logged so far, as it would stand in a file. */
  log(): string;
  /** A GET and its answer. */
  get(path: string, options?: { readonly token?: string; readonly requestId?: string }): Promise<Response>;
  close(): Promise<void>;
}

export async function startDeskGateway(
  desk: Pick<SupportDesk, "storeDirectory">,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly seen?: (store: StoreReader) => StoreReader;
  } = {},
): Promise<DeskGateway> {
  const lines: string[] = [];
  const destination = {
    write: (line: string) => {
      lines.push(line);
    },
  };
  const program = "partner-programs-gateway";
  const store = createFileStore({ directory: desk.storeDirectory });
  const gateway = createGateway({
    settings: testSettings({ ADMIN_PORT: "off", ...options.env }),
    store: options.seen?.(store) ?? store,
    tokenStore: store,
    program,
    logger: createLogger({ level: "info", program, destination }),
    destination,
  });
  const { api } = await gateway.start();
  return {
    api,
    log: () => lines.join(""),
    async get(path, { token, requestId } = {}) {
      const headers = new Headers();
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      if (requestId !== undefined) headers.set("x-request-id", requestId);
      const response = await fetch(api + path, { headers });
      await response.arrayBuffer();
      return response;
    },
    close: () => gateway.stop(),
  };
}
