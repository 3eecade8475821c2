import type { Command } from "commander";
import type { Shell } from "../shell/shell.ts";

/** A command: what it does, and how to load its file, which happens only when it is called. */
interface CommandEntry {
  readonly description: string;
  /** Calls that work, which its help shows: what follows the command's words. By default nothing does. */
  readonly examples?: readonly string[];
  readonly load: () => Promise<(shell: Shell) => Command>;
}

/** What each group is about, and a call of it, in the order of the help. */
export const commandGroups: Readonly<Record<string, readonly [description: string, ...examples: string[]]>> =
  {
    source: ["set up, fill and check the booking database", "source check"],
    snapshot: [
      "build, inspect and mend snapshots",
      "snapshot status --tenant acme",
      "snapshot explain --tenant acme --program ATLAS-2027-0001",
    ],
    store: ["check the object store", "store check"],
    token: ["create, rotate, revoke and list partner tokens", "token list --tenant acme"],
    tenant: ["list, remove and rename tenants", "tenant list"],
    audit: ["who changed what for partners", "audit list --since 7d"],
    request: ["explain what partners got", "request explain req-81f2 --log gateway.log"],
    docs: ["documentation to hand to partners", "help docs export"],
    sandbox: ["a tenant for partners' tests", "sandbox init > sandbox.env"],
  };

/** Calls of the program that its own help shows. */
export const programExamples = ["snapshot build", "snapshot status", "help snapshot explain"];

/** All commands by the words that call them, in the order of the help. */
export const commandTable: Readonly<Record<string, CommandEntry>> = {
  "source init": {
    description:
      "in an empty database: create the reference booking schema; in yours: help to write the views",
    examples: ["--skeleton > views.sql", "--views-only", ""],
    load: async () => (await import("./source-setup.ts")).sourceInit,
  },
  "source seed": {
    description: "fill the reference schema with sample data, in place of earlier sample data",
    examples: ["--tenants 3 --programs 100"],
    load: async () => (await import("./source-setup.ts")).sourceSeed,
  },
  "source check": {
    description: "compare the partner_source views and their rows with the contract",
    load: async () => (await import("./source-check.ts")).sourceCheck,
  },
  "source preview": {
    description:
      "the JSON that would be published, what is dropped, and which fields are never filled; needs no store",
    examples: ["", "--tenant acme --program ATLAS-2027-0001"],
    load: async () => (await import("./source-check.ts")).sourcePreview,
  },
  "snapshot build": {
    description: "build, validate and publish the snapshots of all tenants, or of some",
    examples: ["", "--tenant acme --dry-run"],
    load: async () => (await import("./snapshot-build.ts")).snapshotBuild,
  },
  "snapshot watch": {
    description: "build on change (NOTIFY partner_source_changed) and at least every interval, until stopped",
    examples: ["--interval 60"],
    load: async () => (await import("./snapshot-watch.ts")).snapshotWatch,
  },
  "snapshot status": {
    description: "per tenant: the live snapshot, its age, a hold, and how the last run went",
    examples: ["", "--tenant acme"],
    load: async () => (await import("./snapshot-status.ts")).snapshotStatus,
  },
  "snapshot show": {
    description: "what a partner gets; without --program, --list or --legacy a summary of the snapshot",
    examples: ["--tenant acme", "--tenant acme --list", "--tenant acme --program ATLAS-2027-0001 --raw"],
    load: async () => (await import("./snapshot-read.ts")).snapshotShow,
  },
  "snapshot diff": {
    description:
      "programs added, removed and changed, field by field; by default the live snapshot against the one before it",
    examples: ["--tenant acme", "--tenant acme 20270131T120000Z-0a1b2c3d"],
    load: async () => (await import("./snapshot-read.ts")).snapshotDiff,
  },
  "snapshot explain": {
    description: "why a program is or isn't served: the way from the booking database to the partner",
    examples: ["--tenant acme --program ATLAS-2027-0001"],
    load: async () => (await import("./snapshot-explain.ts")).snapshotExplain,
  },
  "snapshot list": {
    description: "the tenant's snapshots, newest first, the live one marked",
    examples: ["--tenant acme"],
    load: async () => (await import("./snapshot-read.ts")).snapshotList,
  },
  "snapshot verify": {
    description: "re-read every live object: digest, size, schema",
    examples: ["", "--tenant acme"],
    load: async () => (await import("./snapshot-read.ts")).snapshotVerify,
  },
  "snapshot rollback": {
    description: "make an earlier snapshot live again and hold the tenant, so that no build undoes it",
    examples: ["--tenant acme"],
    load: async () => (await import("./snapshot-change.ts")).snapshotRollback,
  },
  "snapshot release": {
    description: "end the hold of a tenant: the next build publishes it again",
    examples: ["--tenant acme"],
    load: async () => (await import("./snapshot-change.ts")).snapshotRelease,
  },
  "snapshot prune": {
    description: "delete what no kept snapshot uses; without --tenant also old run reports",
    examples: ["--dry-run", "--keep 10 --min-age 24"],
    load: async () => (await import("./snapshot-change.ts")).snapshotPrune,
  },
  "snapshot export": {
    description: "write a snapshot as plain files laid out like the URLs",
    examples: ["--tenant acme --out ./acme"],
    load: async () => (await import("./snapshot-read.ts")).snapshotExport,
  },
  "store check": {
    description:
      "try what builds and gateways ask of the object store; says what is missing and how to fix it",
    examples: ["", "--policies"],
    load: async () => (await import("./store-check.ts")).storeCheck,
  },
  "token create": {
    description: "issue a token for a tenant; its plaintext is printed once, alone on standard output",
    examples: ['--tenant acme --name "Acme Travel, production"', "--tenant acme --expires 90d"],
    load: async () => (await import("./token-issue.ts")).tokenCreate,
  },
  "token rotate": {
    description:
      "replace a token by a new one of the same name, scopes, limit and expiry; the old one ends at once, or later by --old-ends",
    examples: ["tok_ZTjmOmdFXf7YcGoF", "tok_ZTjmOmdFXf7YcGoF --old-ends 14d"],
    load: async () => (await import("./token-issue.ts")).tokenRotate,
  },
  "token expire": {
    description: "give a token an end, or move it: for a change from one token to the next without a gap",
    examples: ["tok_ZTjmOmdFXf7YcGoF --at 14d", "tok_ZTjmOmdFXf7YcGoF --at 2027-12-31T23:59:59Z"],
    load: async () => (await import("./token-manage.ts")).tokenExpire,
  },
  "token revoke": {
    description: "end tokens for good; every gateway refuses them within a second",
    examples: ["tok_ZTjmOmdFXf7YcGoF tok_3BJwxF0JEfM0IwBL", "--tenant acme"],
    load: async () => (await import("./token-manage.ts")).tokenRevoke,
  },
  "token list": {
    description: "list the tokens with their status",
    examples: ["", "--tenant acme"],
    load: async () => (await import("./token-manage.ts")).tokenList,
  },
  "token usage": {
    description: "from the gateway's log: requests per token, and which active tokens are idle",
    examples: ["--log gateway.log"],
    load: async () => (await import("./token-manage.ts")).tokenUsage,
  },
  "tenant list": {
    description: "source, store and tokens side by side: which tenants there are, and where",
    load: async () => (await import("./tenant.ts")).tenantList,
  },
  "tenant remove": {
    description:
      "end a tenant that the source no longer lists: revoke its tokens, with --purge delete its data",
    examples: ['acme --reason "the contract ended"', "acme --purge"],
    load: async () => (await import("./tenant.ts")).tenantRemove,
  },
  "tenant rename": {
    description: "move all tokens of a tenant to its new id, once that is published, in one write",
    examples: ["acme acme-tours"],
    load: async () => (await import("./tenant.ts")).tenantRename,
  },
  "audit list": {
    description: "who changed what for partners, newest first",
    examples: ["--tenant acme", "--since 2027-01-31T00:00:00Z --json"],
    load: async () => (await import("./audit-list.ts")).auditList,
  },
  "request explain": {
    description: "from the gateway's log: what a request was, and the real cause of its answer",
    examples: ["req-81f2 --log gateway.log", "req-81f2 --log gw.log --log gw.log.1.gz"],
    load: async () => (await import("./request-explain.ts")).requestExplain,
  },
  "docs export": {
    description:
      "write the folder that a partner gets: pages, OpenAPI, examples, a mock, a client in three languages",
    examples: ["--company Acme --contact a@b.example \\\n    --base-url https://b.example --out acme"],
    load: async () => (await import("./docs.ts")).docsExport,
  },
  "sandbox init": {
    description:
      "make the sandbox: programs of known ids, and a token for each kind of answer; may be repeated",
    examples: ["> sandbox.env", "--rotate", "--remove"],
    load: async () => (await import("./sandbox-init.ts")).sandboxInit,
  },
  inspect: {
    description: "serve read-only web pages over the store, for support staff, until stopped",
    examples: ["", "--port 0"],
    load: async () => (await import("./inspect.ts")).inspect,
  },
  config: {
    description: "the effective settings of both programs with their origin; secrets are not shown",
    load: async () => (await import("./config.ts")).config,
  },
  openapi: {
    description: "print the OpenAPI 3.1 document of the API (JSON)",
    examples: ["> openapi.json"],
    load: async () => (await import("./docs.ts")).openapi,
  },
  demo: {
    description:
      "the whole way once, on sample data: a database, snapshots, the gateway, a partner's requests",
    examples: ["", "--check"],
    load: async () => (await import("./source-setup.ts")).demo,
  },
};
