import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { beginTestStore } from "../../support/begun-store.ts";
import { storeConfirmations } from "../../support/confirmed-document.ts";
import { eventually } from "../../support/gateway-client.ts";
import { startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { anchors, page, projectRoot } from "../../support/markdown.ts";
import { patience } from "../../support/patience.ts";
import { converse } from "../../support/raw-http.ts";
import { startCli } from "../../support/run-cli.ts";
import { shippedAlerts } from "../../support/shipped-alerts.ts";
import { openWorkbench } from "../../support/workbench.ts";

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

let exposed: Exposed;
let panels: readonly Panel[];

beforeAll(async () => {
  exposed = exposedBy(await scrapeOfGateway(), ...(await scrapesOfBuilders()));
  const dashboard = await readFile(join(projectRoot, "deploy/grafana/partner-programs.json"), "utf8");
  panels = JSON.parse(dashboard).panels;
});

/** Of one that has seen something of everything. */
async function scrapeOfGateway(): Promise<string> {
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString();
  const token = issueToken("acme", { expiresAt: inAWeek });
  const gateway = await startGateway({
    waits: { confirmedMs: 100 },
    async fill(store, tokens) {
      await beginTestStore(store);
      await tokens.write([token]);
      const { snapshotId } = await publishSnapshot(store, "acme", { programIds: ["p1"] });
      await storeConfirmations(store, { acme: { snapshotId, confirmedAt: new Date().toISOString() } });
    },
  });
  const { client } = gateway;
  try {
    await client.get("/v1/programs", token.plaintext);
    await converse(gateway.api, { send: "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000) });
    return await eventually(gateway.metrics, (text) => text.includes("gateway_data_age_seconds{"));
  } finally {
    await gateway.close();
  }
}

async function scrapesOfBuilders(): Promise<readonly string[]> {
  const bench = await openWorkbench();
  const folder = await mkdtemp(join(tmpdir(), "metric-names-"));
  await bench.source.insert("tenants", { tenant_id: "acme" });
  await bench.insertPrograms("acme", "a");
  const watch = startCli(["snapshot", "watch"], { env: { ...bench.env, WATCH_ADMIN_PORT: "0" } });
  let said = "";
  watch.child.stderr?.on("data", (text: string) => (said += text));
  try {
    const ofWatch = await vi.waitFor(async () => {
      const [, address] = /health and metrics on (\S+)/.exec(said) ?? [];
      const text = await (await fetch(`${address}/metrics`)).text();
      expect(text).toContain("builder_tenant_confirmed_timestamp_seconds{");
      expect(text).toContain("builder_last_run_status{");
      return text;
    }, patience);
    const file = join(folder, "builder.prom");
    await bench.build(["--metrics-file", file]);
    return [ofWatch, await readFile(file, "utf8")];
  } finally {
    watch.child.kill("SIGKILL");
    await watch.ended;
    await bench.close();
    await rm(folder, { recursive: true });
  }
}

describe("P118", () => {
  test("what alerts ask for is what gateways and builders have, with these labels", () => {
    for (const { alert, expr, annotations } of shippedAlerts) {
      const inTexts = [
        ...Object.values(annotations)
          .join()
          .matchAll(/\$labels\.(\w+)/g),
      ].map(([, label = ""]) => label);
      expect(faultsOf(exposed, expr, inTexts), alert).toEqual([]);
    }
  });

  test("what the dashboard asks for is what gateways and builders have, with these labels", () => {
    const drawn = panels.filter(({ type }) => type !== "row");
    expect(drawn.length).toBeGreaterThan(20);
    for (const { title, targets = [] } of drawn) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr, legendFormat } of targets) {
        const inLegend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
        expect(faultsOf(exposed, expr, inLegend), title).toEqual([]);
      }
    }
  });

  test("the dashboard shows every metric of gateways and builders", () => {
    const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n");
    const own = [...exposed.keys()].filter(
      (name) => /^(gateway|builder)_/.test(name) && !/_(sum|count)$/.test(name),
    );
    expect(own.filter((name) => !shown.includes(name))).toEqual([]);
    expect(own.length).toBeGreaterThan(20);
  });

  test("each alert's page and section exist", () => {
    for (const { alert, annotations } of shippedAlerts) {
      const [path = "", anchor] = annotations.runbook.split("#");
      const { text } = page(path);
      if (anchor !== undefined) expect(anchors(text).has(anchor), `${alert}: ${anchor}`).toBe(true);
    }
  });
});

/** Metrics with the labels that their series have, of Prometheus' text format. */
type Exposed = ReadonlyMap<string, ReadonlySet<string>>;

/** What texts of `/metrics` and metrics files have, together. A histogram's parts count as metrics. */
function exposedBy(...texts: readonly string[]): Exposed {
  const exposed = new Map<string, Set<string>>();
  for (const line of texts.join("\n").split("\n")) {
    const [, name, labels = ""] = /^([a-z_]+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = exposed.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="[^"]*"/g)) known.add(label);
    exposed.set(name, known);
  }
  return exposed;
}

/**
 * P118: what is wrong with an expression of PromQL, and with the labels that texts for people take from its
 * result.
 */
function faultsOf(
  exposed: Exposed,
  expression: string,
  labelsInTexts: readonly string[] = [],
): readonly string[] {
  const bare = expression.replace(/"[^"]*"/g, '""');
  const faults: string[] = [];
  const available = new Set(ofScraping);
  for (const [, name = "", selectors = ""] of bare.matchAll(
    /\b((?:gateway|builder|process|nodejs|up)(?:_[a-z_]+|\b))(?:\{([^}]*)\})?/g,
  )) {
    const labels = name === "up" ? new Set<string>() : exposed.get(name);
    if (labels === undefined) faults.push(`no program has ${name}`);
    for (const label of labels ?? []) available.add(label);
    for (const [, label = ""] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (!labels?.has(label) && !ofScraping.has(label)) faults.push(`${name} has no label ${label}`);
    }
  }
  const grouped = [...bare.matchAll(/\b(?:by|without|on|ignoring) ?\(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(/, */),
  );
  for (const label of [...grouped, ...labelsInTexts]) {
    if (!available.has(label)) faults.push(`nothing in ${expression} has the label ${label}`);
  }
  return faults;
}

/** Prometheus' own. */
const ofScraping: ReadonlySet<string> = new Set(["job", "instance"]);
