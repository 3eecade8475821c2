import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments, visit } from "yaml";
import { exchangesFile, sitePages } from "../../../cli/partners/folder/site-page.ts";
import { parseSettings } from "../../../core/process/setting-parser.ts";
import { cliSettings, gatewaySettings } from "../../../core/process/settings.ts";
import { requestedAction } from "../../../gateway/arguments.ts";
import { usageFault } from "../../support/command-lines.ts";
import { projectRoot } from "../../support/markdown.ts";

const kubernetes = readdirSync(join(projectRoot, "deploy/kubernetes"), { recursive: true })
  .map((name) => `kubernetes/${name}`)
  .filter((path) => path.endsWith(".yaml"));
const units = [
  ...readdirSync(join(projectRoot, "deploy/systemd")).map((name) => `systemd/${name}`),
  "inspect/partner-programs-inspect.service",
];

describe("deployment examples", () => {
  test.each(["compose.yaml", ...kubernetes])("%s runs commands that the programs take", async (path) => {
    for (const [program = "", ...args] of programCalls(example(path))) {
      if (program === "partner-programs") expect(await usageFault(args), args.join(" ")).toBeUndefined();
      else expect(requestedAction(args)).toBe("serve");
    }
  });

  test.each(units.filter((path) => path.endsWith(".service")))(
    "%s runs what the programs take",
    async (path) => {
      for (const [, program, args = ""] of example(path).matchAll(/dist\/(\w+)\/main\.js ?(.*)$/gm)) {
        const words = args.split(" ").filter((word) => word !== "");
        if (program === "cli") expect(await usageFault(words), args).toBeUndefined();
        else expect(requestedAction(words)).toBeDefined();
      }
    },
  );

  test("the crontab runs commands that the program takes", async () => {
    const calls = [...example("cron/partner-programs").matchAll(/\$PARTNER_PROGRAMS ([a-z -]+)/g)];
    expect(calls).toHaveLength(2);
    for (const [, args = ""] of calls) expect(await usageFault(args.trim().split(" "))).toBeUndefined();
  });

  test("the image has settings that the gateway takes, and listens where others can reach it", () => {
    const env = Object.fromEntries(
      [...example("Dockerfile").matchAll(/^(?:ENV)? +([A-Z_]+)=(\S+)/gm)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    const parsed = parseSettings(gatewaySettings, env);
    expect(parsed).toMatchObject({ ok: true, values: { host: "0.0.0.0", adminHost: "0.0.0.0" } });
  });

  test("the image is made of all that the build reads, and holds what the programs read", () => {
    const programsRead = [exchangesFile, "docs/client/programs-client.ts", "schemas/generated/openapi.json"];
    const buildReads = [...Object.values(sitePages).map(([, file]) => `docs/${file}`), ...programsRead];
    const letIn = [...read(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, path = ""]) => path);
    expect(buildReads.filter((path) => !isAmong(letIn, path))).toEqual([]);
    const lastStage =
      example("Dockerfile")
        .split(/^FROM /m)
        .at(-1) ?? "";
    const copied = [...lastStage.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
      paths.split(" "),
    );
    expect(programsRead.filter((path) => !isAmong(copied, path))).toEqual([]);
  });

  test("no example publishes the admin listener", () => {
    const compose = parse(example("compose.yaml"), { merge: true });
    const published = Object.values<{ ports?: string[] }>(compose.services).flatMap(
      ({ ports }) => ports ?? [],
    );
    expect(published).toEqual(["127.0.0.1:8080:8080"]);
    const services = parseAllDocuments(example("kubernetes/gateway.yaml"))
      .map((document) => document.toJS())
      .filter(({ kind }) => kind === "Service");
    expect(services.flatMap(({ spec }) => spec.ports).map(({ targetPort }) => targetPort)).toEqual(["api"]);
    expect(example("Dockerfile").match(/^EXPOSE .*/gm)).toEqual(["EXPOSE 8080"]);
  });

  test("settings in environments exist", () => {
    const known = new Set(
      [...Object.values(cliSettings), ...Object.values(gatewaySettings)].map(({ name }) => name),
    );
    const foreign = /^(NODE_OPTIONS|MALLOC_ARENA_MAX|AWS_REGION|POSTGRES_\w+|GENERATOR_PASSWORD)$/;
    const named = ["compose.yaml", ...kubernetes].flatMap((path) => environmentNames(example(path)));
    expect(named.filter((name) => !known.has(name) && !foreign.test(name))).toEqual([]);
    expect(named.filter((name) => known.has(name)).length).toBeGreaterThan(8);
  });
});

const read = (path: string): string => readFileSync(join(projectRoot, path), "utf8");

const example = (path: string): string => read(`deploy/${path}`);

/** Whether the path is one of these, or below one of them. */
function isAmong(paths: readonly string[], path: string): boolean {
  return paths.some((each) => path === each || path.startsWith(`${each}/`));
}

/** Lists of words, anywhere in the documents, that begin with the name of one of the programs. */
function programCalls(text: string): readonly (readonly string[])[] {
  const calls: string[][] = [];
  for (const document of parseAllDocuments(text)) {
    visit(document, {
      Seq(_key, node) {
        const words: unknown = node.toJSON();
        if (Array.isArray(words) && /^partner-programs(-gateway)?$/.test(String(words[0]))) {
          calls.push(words.map(String));
        }
      },
    });
  }
  return calls;
}

/** Keys in capitals, of `environment` and `data` maps, and the names of `env` entries. */
function environmentNames(text: string): readonly string[] {
  const names: string[] = [];
  for (const document of parseAllDocuments(text)) {
    visit(document, {
      Pair(_key, { key, value }) {
        names.push(String(key), ...(String(key) === "name" ? [String(value)] : []));
      },
    });
  }
  return [...new Set(names)].filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name));
}
