import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { parseAllDocuments } from "yaml";
import { projectRoot } from "./markdown.ts";

/** An object of a Kubernetes manifest, and the file that it stands in. */
export interface Manifest {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  // biome-ignore lint/suspicious/noExplicitAny: what it holds depends on the kind; `typeFaults` holds it to the API's types
  readonly spec: any;
}

export type Labels = Readonly<Record<string, string>>;

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

const root = join(projectRoot, "deploy/kubernetes");

/** Everything in `deploy/kubernetes`. */
export function kubernetesManifests(): readonly Manifest[] {
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
export function podTemplate({ kind, spec }: Manifest): Manifest["spec"] {
  if (kind === "CronJob") return spec.jobTemplate.spec.template;
  return kind === "Deployment" ? spec.template : undefined;
}

/** Only `In`, which is all that the manifests use. */
export function selects(selector: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, values }) => values.includes(labels[key] ?? ""))
  );
}

/**
 * Where the objects are not what Kubernetes' API takes: unknown and missing fields, wrong types. The API ignores a field that
 * it does not know, so that a mistyped `securityContext` would be none. The compiler sees both, by the types of the API.
 */
export function typeFaults(manifests: readonly Manifest[]): readonly string[] {
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
