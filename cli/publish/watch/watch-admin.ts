import type { RunReport } from "../../../schemas/generated/types.ts";
import type { CliSettings } from "../../shell/shell.ts";
import type { RunKind } from "./watch-builds.ts";
import type { MetricSources } from "./watch-metrics.ts";

/** Hears of each run, for whoever asks the listener. */
export interface WatchAdmin {
  /** As a URL; `undefined` when there is no listener. */
  readonly address: string | undefined;
  run(report: RunReport, kind: RunKind): void;
}

/** Runs with the listener of the settings. Its code is loaded only when the settings ask for it. */
export async function withWatchAdmin<Result>(
  settings: CliSettings,
  sources: MetricSources & { readonly notReadyCause: () => string | undefined },
  use: (admin: WatchAdmin) => Promise<Result>,
): Promise<Result> {
  const { watchAdminHost: host, watchAdminPort: port, adminHostNames } = settings;
  if (port === undefined) return await use({ address: undefined, run: () => {} });
  const { createWatchMetrics } = await import("./watch-metrics.ts");
  const { createAdminServer } = await import("../../../core/admin-server.ts");
  const { listen } = await import("../../../core/listen.ts");
  const metrics = createWatchMetrics(sources);
  const server = createAdminServer({
    hostNames: [host, ...adminHostNames],
    hostSetting: "WATCH_ADMIN_HOST",
    otherMethods: 405,
    notReadyCause: sources.notReadyCause,
    metrics,
  });
  try {
    return await use({ address: await listen(server, host, port), run: metrics.run });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
