import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { projectRoot } from "../../support/markdown.ts";

/** An object of a Kubernetes manifest, and the file that it stands in. */
interface Manifest {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  // biome-ignore lint/suspicious/noExplicitAny: what it holds depends on the kind; `typeFaults` holds it to the API's types
  readonly spec: any;
}

type Labels = Readonly<Record<string, string>>;

interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

const root = join(projectRoot, "deploy/kubernetes");
const manifests = kubernetesManifests();
const customizations = manifests.filter(({ apiVersion }) => apiVersion.startsWith("kustomize.config.k8s.io"));
const objects = manifests.filter((manifest) => !customizations.includes(manifest));
const workloads = objects.filter((manifest) => podTemplate(manifest) !== undefined);
const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
/** Of the Prometheus operator. */
const foreign = objects.filter(({ apiVersion }) => apiVersion.startsWith("monitoring.coreos.com/"));
const own = objects.filter((manifest) => !foreign.includes(manifest));

const named = <Item extends { readonly kind: string; readonly metadata: { readonly name: string } }>(
  items: readonly Item[],
) => items.map((item) => [`${item.kind} ${item.metadata.name}`, item] as const);

describe("Kubernetes manifests", () => {
  test("are what the API takes; a mistyped field would be found", () => {
    const [gateway] = workloads.filter(({ metadata }) => metadata.name.endsWith("gateway"));
    const mistyped = structuredClone(gateway ?? expect.fail());
    podTemplate(mistyped).spec.containers[0].securityContext.readOnlyRootFileSystem = true;
    expect(typeFaults([...own, mistyped])).toEqual([expect.stringContaining("readOnlyRootFileSystem")]);
  });

  test("all files are part of the base or of a component", () => {
    const listed = customizations.flatMap(({ path, ...customization }) => {
      const folder = path.replace(/kustomization\.yaml$/, "");
      const { resources } = customization as unknown as { readonly resources: readonly string[] };
      return resources.map((resource) => folder + resource);
    });
    expect(listed.sort()).toEqual([...new Set(objects.map(({ path }) => path))].sort());
  });

  test.each(named(workloads))(
    "%s runs as nobody special, on files that it cannot change",
    (_name, workload) => {
      const pod = podTemplate(workload).spec;
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(resources).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
      const [account] = objects.filter(
        ({ kind, metadata }) => kind === "ServiceAccount" && metadata.name === pod.serviceAccountName,
      );
      expect(account).toMatchObject({ automountServiceAccountToken: false });
    },
  );

  test.each(named(workloads.filter(({ kind }) => kind === "Deployment")))(
    "%s is started, watched and taken out by its admin listener",
    (_name, { spec }) => {
      const [container] = spec.template.spec.containers;
      const { startupProbe, livenessProbe, readinessProbe, ports, env } = container;
      const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
      expect(paths).toEqual([
        { path: "/healthz", port: "admin" },
        { path: "/healthz", port: "admin" },
        { path: "/readyz", port: "admin" },
      ]);
      const variable = env.find(({ name }: { name: string }) => name.endsWith("ADMIN_PORT"));
      const port = ports.find(({ name }: { name: string }) => name === "admin");
      expect(String(port.containerPort)).toBe(variable.value);
      expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
      expect(selects(spec.selector, spec.template.metadata.labels)).toBe(true);
    },
  );

  test.each([
    ["partner-programs-gateway", [53, 443, 6379], ["admin", "api"]],
    ["partner-programs-build", [53, 443, 5432], []],
    ["partner-programs-watch", [53, 443, 5432], ["admin"]],
    ["partner-programs-prune", [53, 443], []],
  ])("%s reaches and is reached by the ports that it needs alone", (name, reached, open) => {
    const [workload] = workloads.filter(({ metadata }) => metadata.name === name);
    const { labels } = podTemplate(workload ?? expect.fail()).metadata;
    const specs = policies.map(({ spec }) => spec).filter(({ podSelector }) => selects(podSelector, labels));
    const portsOf = (rules: readonly { readonly ports?: readonly { readonly port: unknown }[] }[]) =>
      // A rule without ports would let everything pass.
      [...new Set(rules.flatMap(({ ports }) => ports?.map(({ port }) => port) ?? ["all"]))].sort();
    expect(specs.some(({ policyTypes }) => policyTypes.includes("Ingress"))).toBe(true);
    expect(portsOf(specs.flatMap(({ egress }) => egress ?? []))).toEqual([...reached].sort());
    expect(portsOf(specs.flatMap(({ ingress }) => ingress ?? []))).toEqual(open);
  });

  test("metrics are read from every pod that has some, by its own address", () => {
    const [monitor] = foreign;
    const seen = workloads.filter((workload) =>
      selects(monitor?.spec.selector, podTemplate(workload).metadata.labels),
    );
    expect(seen.map(({ metadata }) => metadata.name).sort()).toEqual([
      "partner-programs-gateway",
      "partner-programs-watch",
    ]);
    expect(monitor?.spec.podMetricsEndpoints).toMatchObject([
      { port: "admin", path: "/metrics", interval: "15s" },
    ]);
  });
});

/** Everything in `deploy/kubernetes`. */
function kubernetesManifests(): readonly Manifest[] {
  const paths = readdirSync(root, { recursive: true }).map(String);
  return paths
    .filter((path) => path.endsWith(".yaml"))
    .flatMap((path) =>
      parseAllDocuments(readFileSync(join(root, path), "utf8")).map((document) => ({
        ...document.toJS(),
        path,
      })),
    );
}

/** The template of the pods that a workload starts, if it is one. */
function podTemplate({ kind, spec }: Manifest): Manifest["spec"] {
  if (kind === "CronJob") return spec.jobTemplate.spec.template;
  return kind === "Deployment" ? spec.template : undefined;
}

/** Only `In`, which is all that the manifests use. */
function selects(selector: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, values }) => values.includes(labels[key] ?? ""))
  );
}

/**
 * Where the objects are not what Kubernetes' API takes: unknown and missing fields, wrong types. The API
 * ignores a field that it does not know, so that a mistyped `securityContext` would be none. The compiler
 * sees both, by the types of the API.
 */
function typeFaults(manifests: readonly Manifest[]): readonly string[] {
  const path = join(projectRoot, "manifests.ts");
  const text = manifests.map(declaration).join("\n");
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, languageVersion, ...rest) =>
    name === path
      ? ts.createSourceFile(name, text, languageVersion)
      : getSourceFile(name, languageVersion, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([path], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

function declaration({ path: _path, ...manifest }: Manifest, at: number): string {
  const module = manifest.apiVersion === "v1" ? "core/v1" : manifest.apiVersion.replace(".k8s.io/", "/");
  const type = `import("kubernetes-types/${module}.js").${manifest.kind}`;
  return `export const manifest${at}: ${type} = ${JSON.stringify(manifest)};`;
}
