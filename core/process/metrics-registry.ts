import { collectDefaultMetrics, Registry } from "prom-client";

/** What Node.js and the operating system say of this process. Its timers run until the process ends. */
let ofProcess: Registry | undefined;

/** A new registry that begins with the metrics of the process, which are measured once for all. */
export function createMetricsRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return Registry.merge([ofProcess]);
}
