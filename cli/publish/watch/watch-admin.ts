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

/** Runs with the listener of the settings, if they ask for one: its code is loaded then alone. */
export async function withWatchAdmin<Result>(
  settings: CliSettings,
  sources: MetricSources & { readonly notReadyCause: () => string | undefined },
  use: (admin: WatchAdmin) => Promise<Result>,
): Promise<Result> {
  const { watchAdminHost: host, watchAdminPort: port, adminHostNames: hostNames } = settings;
  if (port === undefined) return await use({ address: undefined, run: () => {} });
  const { createWatchMetrics } = await import("./watch-metrics.ts");
  const { withAdminServer } = await import("./admin-server.ts");
  const metrics = createWatchMetrics(sources);
  const { notReadyCause } = sources;
  return await withAdminServer({ host, port, hostNames, notReadyCause, metrics }, (address) =>
    use({ address, run: metrics.run }),
  );
}
