import type { Command } from "commander";
import type { Shell } from "../shell/shell.ts";

/** A command: the words that call it, what it does, and how to load its file, which happens only when it is called. */
export interface CommandEntry {
  readonly group: string | undefined;
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<(shell: Shell) => Command>;
}

/** What each group is about, in the order of the help. */
export const commandGroups: Readonly<Record<string, string>> = {
  source: "set up, fill and check the booking database",
  snapshot: "build, inspect and mend snapshots",
  store: "check the object store",
  token: "create, rotate, revoke and list partner tokens",
  tenant: "list, remove and rename tenants",
  audit: "who changed what for partners",
  request: "explain what partners got",
  docs: "documentation to hand to partners",
  sandbox: "a tenant for partners' tests",
};

/** By the words that call them, in the order of the help. */
const commands: Readonly<Record<string, Pick<CommandEntry, "description" | "load">>> = {
  "source init": {
    description:
      "in an empty database: create the reference booking schema; in yours: help to write the views",
    load: async () => (await import("./source-init.ts")).sourceInit,
  },
  "source seed": {
    description: "fill the reference schema with sample data, in place of earlier sample data",
    load: async () => (await import("./source-seed.ts")).sourceSeed,
  },
  "source check": {
    description: "compare the partner_source views and their rows with the contract",
    load: async () => (await import("./source-check.ts")).sourceCheck,
  },
  "source preview": {
    description:
      "the JSON that would be published, what is dropped, and which fields are never filled; needs no store",
    load: async () => (await import("./source-preview.ts")).sourcePreview,
  },
  "snapshot build": {
    description: "build, validate and publish the snapshots of all tenants, or of some",
    load: async () => (await import("./snapshot-build.ts")).snapshotBuild,
  },
  "snapshot watch": {
    description: "build on change (NOTIFY partner_source_changed) and at least every interval, until stopped",
    load: async () => (await import("./snapshot-watch.ts")).snapshotWatch,
  },
  "snapshot status": {
    description: "per tenant: the live snapshot, its age, a hold, and how the last run went",
    load: async () => (await import("./snapshot-status.ts")).snapshotStatus,
  },
  "snapshot show": {
    description: "what a partner gets; without --program, --list or --legacy a summary of the snapshot",
    load: async () => (await import("./snapshot-read.ts")).snapshotShow,
  },
  "snapshot diff": {
    description:
      "programs added, removed and changed, field by field; by default the live snapshot against the one before it",
    load: async () => (await import("./snapshot-diff.ts")).snapshotDiff,
  },
  "snapshot explain": {
    description: "why a program is or isn't served: the way from the booking database to the partner",
    load: async () => (await import("./snapshot-explain.ts")).snapshotExplain,
  },
  "snapshot list": {
    description: "the tenant's snapshots, newest first, the live one marked",
    load: async () => (await import("./snapshot-read.ts")).snapshotList,
  },
  "snapshot verify": {
    description: "re-read every live object: digest, size, schema",
    load: async () => (await import("./snapshot-read.ts")).snapshotVerify,
  },
  "snapshot rollback": {
    description: "make an earlier snapshot live again and hold the tenant, so that no build undoes it",
    load: async () => (await import("./snapshot-change.ts")).snapshotRollback,
  },
  "snapshot release": {
    description: "end the hold of a tenant: the next build publishes it again",
    load: async () => (await import("./snapshot-change.ts")).snapshotRelease,
  },
  "snapshot prune": {
    description: "delete what no kept snapshot uses; without --tenant also old run reports",
    load: async () => (await import("./snapshot-change.ts")).snapshotPrune,
  },
  "snapshot export": {
    description: "write a snapshot as plain files laid out like the URLs",
    load: async () => (await import("./snapshot-read.ts")).snapshotExport,
  },
  "store check": {
    description:
      "try what builds and gateways ask of the object store; says what is missing and how to fix it",
    load: async () => (await import("./store-check.ts")).storeCheck,
  },
  "token create": {
    description: "issue a token for a tenant; its plaintext is printed once, alone on standard output",
    load: async () => (await import("./token-issue.ts")).tokenCreate,
  },
  "token rotate": {
    description:
      "replace a token by a new one of the same name, scopes, limit and expiry; the old one ends at once, or later by --old-ends",
    load: async () => (await import("./token-issue.ts")).tokenRotate,
  },
  "token expire": {
    description: "give a token an end, or move it: for a change from one token to the next without a gap",
    load: async () => (await import("./token-manage.ts")).tokenExpire,
  },
  "token revoke": {
    description: "end tokens for good; every gateway refuses them within a second",
    load: async () => (await import("./token-manage.ts")).tokenRevoke,
  },
  "token list": {
    description: "list the tokens with their status",
    load: async () => (await import("./token-manage.ts")).tokenList,
  },
  "token usage": {
    description: "from the gateway's log: requests per token, and which active tokens are idle",
    load: async () => (await import("./token-usage.ts")).tokenUsage,
  },
  "tenant list": {
    description: "source, store and tokens side by side: which tenants there are, and where",
    load: async () => (await import("./tenant-list.ts")).tenantList,
  },
  "tenant remove": {
    description:
      "end a tenant that the source no longer lists: revoke its tokens, with --purge delete its data",
    load: async () => (await import("./tenant.ts")).tenantRemove,
  },
  "tenant rename": {
    description: "move all tokens of a tenant to its new id, once that is published, in one write",
    load: async () => (await import("./tenant.ts")).tenantRename,
  },
  "audit list": {
    description: "who changed what for partners, newest first",
    load: async () => (await import("./audit-list.ts")).auditList,
  },
  "request explain": {
    description: "from the gateway's log: what a request was, and the real cause of its answer",
    load: async () => (await import("./request-explain.ts")).requestExplain,
  },
  "docs export": {
    description:
      "write the folder that a partner gets: pages, OpenAPI, examples, a mock, a client in three languages",
    load: async () => (await import("./docs.ts")).docsExport,
  },
  "sandbox init": {
    description:
      "make the sandbox: programs of known ids, and a token for each kind of answer; may be repeated",
    load: async () => (await import("./sandbox-init.ts")).sandboxInit,
  },
  inspect: {
    description: "serve read-only web pages over the store, for support staff, until stopped",
    load: async () => (await import("./inspect.ts")).inspect,
  },
  config: {
    description: "the effective settings of both programs with their origin; secrets are not shown",
    load: async () => (await import("./config.ts")).config,
  },
  openapi: {
    description: "print the OpenAPI 3.1 document of the API (JSON)",
    load: async () => (await import("./docs.ts")).openapi,
  },
  demo: {
    description:
      "the whole way once, on sample data: a database, snapshots, the gateway, a partner's requests",
    load: async () => (await import("./demo.ts")).demo,
  },
};

/** All commands, in the order of the help. */
export const commandTable: readonly CommandEntry[] = Object.entries(commands).map(([words, command]) => {
  const [name = "", group] = words.split(" ").reverse();
  return { group, name, ...command };
});
