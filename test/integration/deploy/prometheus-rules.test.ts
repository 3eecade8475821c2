import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { inlineCode, page, projectRoot, tableAfter } from "../../support/markdown.ts";
import { shippedAlerts } from "../../support/shipped-alerts.ts";

/** Whether a program of this name can be started. */
function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

const tests = ["alerts.test.yaml", "alerts-builder.test.yaml"];
const missing = isInstalled("promtool") ? "" : " (skipped: promtool is not installed)";

async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)("promtool", [...args], {
    cwd: join(projectRoot, "deploy/prometheus"),
  });
  return `${stdout}${stderr}`;
}

describe.skipIf(missing !== "")(`what promtool says of deploy/prometheus${missing}`, () => {
  test("the scrape jobs are a configuration, and name the alerts", async () => {
    expect(await promtool("check", "config", "prometheus.yaml")).toContain(
      `${shippedAlerts.length} rules found`,
    );
  });

  test("P118 each alert fires for its cause alone, and ends with it", async () => {
    expect(await promtool("test", "rules", ...tests)).not.toContain("FAILED");
  });
});

describe("each alert", () => {
  test("P118 has a test that sees it fire, and one that sees it rest", () => {
    const text = tests.map((path) => page(`deploy/prometheus/${path}`).text).join("\n\n");
    for (const { alert } of shippedAlerts) {
      expect(text).toContain(`[{ labels: '{alertname="${alert}"}', value: 1 }]`);
      const own = text.split("\n\n").find((each) => each.includes(`- name: "${alert}`)) ?? "";
      expect(own, alert).toContain("exp_samples: []");
    }
  });

  test("has a delay, a severity, and says what to do and where to read on", () => {
    for (const { alert, for: delay, labels, annotations } of shippedAlerts) {
      expect(delay, alert).toMatch(/^\d+[sm]$/);
      expect(labels.severity, alert).toMatch(/^(page|ticket)$/);
      expect(annotations.summary.length, alert).toBeGreaterThan(20);
      expect(annotations.description.length, alert).toBeGreaterThan(80);
    }
  });

  test("stands in the operator guide, with its severity", () => {
    const rows = tableAfter(page("docs/operators.md").text, "<!-- alerts -->");
    expect(rows.map(([alert = "", severity]) => [inlineCode(alert)[0], severity])).toEqual(
      shippedAlerts.map(({ alert, labels }) => [alert, labels.severity]),
    );
  });
});
