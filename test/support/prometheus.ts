import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { parse, stringify } from "yaml";
import { projectRoot } from "./markdown.ts";
import { patience } from "./patience.ts";

/** A Prometheus that evaluates the shipped rules over what it scrapes. */
export interface Prometheus {
  /** Names of the alerts in the state. */
  alerts(state: "pending" | "firing"): Promise<readonly string[]>;
  /** Resolves when the alert fires. */
  fires(name: string): Promise<void>;
  /** Resolves when it neither fires nor is about to. */
  rests(name: string): Promise<void>;
  /** What PromQL says now, one object of labels and value for each series. */
  query(expression: string): Promise<readonly { readonly metric: Labels; readonly value: number }[]>;
  stop(): Promise<void>;
}

type Labels = Readonly<Record<string, string>>;

/** Whether a program of this name can be started. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Scrapes every half second what stands under the shipped jobs' names, and evaluates `rules` as often. */
export async function startPrometheus(options: {
  readonly directory: string;
  readonly rules: string;
  /** Job of `deploy/prometheus/prometheus.yaml` → `host:port`. */
  readonly targets: Readonly<Record<string, readonly string[]>>;
}): Promise<Prometheus> {
  const { directory, rules, targets } = options;
  const config = parse(await readFile(join(projectRoot, "deploy/prometheus/prometheus.yaml"), "utf8"));
  config.global = { scrape_interval: "500ms", scrape_timeout: "500ms", evaluation_interval: "500ms" };
  for (const job of config.scrape_configs) {
    const found = targets[job.job_name];
    if (found === undefined) throw new Error(`no targets for the job ${job.job_name}`);
    job.static_configs = [{ targets: found }];
  }
  await writeFile(join(directory, "prometheus.yaml"), stringify(config));
  await writeFile(join(directory, "alerts.yaml"), rules);
  const child = spawn(
    "prometheus",
    [
      "--config.file=prometheus.yaml",
      "--storage.tsdb.path=data",
      "--web.listen-address=127.0.0.1:0",
      "--log.level=info",
    ],
    { cwd: directory, stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close");
  const address = await vi.waitFor(() => {
    if (child.exitCode !== null) throw new Error(said);
    const [, found] = /msg="Listening on" address=(\S+)/.exec(said) ?? [];
    if (found === undefined) throw new Error(`Prometheus does not listen yet: ${said}`);
    return `http://${found}`;
  }, patience);
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`${address}/api/v1/${path}`);
    const { data } = (await response.json()) as { data: unknown };
    return data;
  };
  async function alerts(state: "pending" | "firing" | undefined): Promise<readonly string[]> {
    const data = (await ask("alerts")) as { alerts: readonly { labels: Labels; state: string }[] };
    return data.alerts
      .filter((alert) => state === undefined || alert.state === state)
      .map(({ labels }) => labels.alertname ?? "");
  }
  const waitFor = async (isSo: () => Promise<boolean>, sentence: string): Promise<void> => {
    await vi.waitFor(
      async () => {
        if (!(await isSo())) throw new Error(`${sentence}; there are: ${await alerts(undefined)}`);
      },
      { ...patience, interval: 200 },
    );
  };
  return {
    alerts,
    fires: (name) => waitFor(async () => (await alerts("firing")).includes(name), `${name} does not fire`),
    rests: (name) => waitFor(async () => !(await alerts(undefined)).includes(name), `${name} does not end`),
    async query(expression) {
      const data = (await ask(`query?query=${encodeURIComponent(expression)}`)) as {
        result: readonly { metric: Labels; value: readonly [number, string] }[];
      };
      return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
