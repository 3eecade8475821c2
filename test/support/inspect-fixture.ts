import type { Server } from "node:http";
import { createInspectServer } from "../../cli/inspect/inspect-server.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { parseSettings } from "../../core/setting-parser.ts";
import { cliSettings } from "../../core/settings.ts";
import type { SupportDesk } from "./support-desk.ts";

/** The pages of `inspect` over a support desk, on a free port. */
export interface InspectFixture {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export async function startInspect(
  desk: SupportDesk,
  options: { readonly now?: Date; readonly store?: ObjectStore } = {},
): Promise<InspectFixture> {
  const parsed = parseSettings(cliSettings, desk.env);
  if (!parsed.ok) throw new Error(parsed.faults.join("; "));
  const server = createInspectServer({
    store: options.store ?? desk.store,
    settings: parsed.values,
    now: () => options.now ?? new Date(),
    signal: new AbortController().signal,
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP listener");
  return address.port;
}
