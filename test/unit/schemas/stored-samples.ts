import { parseTokenId } from "../../../core/ids.ts";
import { issueToken } from "../../support/gateway-tokens.ts";

const sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const prefix = "tenants/atlas-tours/snapshots/20270201T031500Z-0a1b2c3d";

/** One valid document of each kind that gateways or later builds read, with every nullable part present. */
export const current = {
  format: "partner-programs/current@1",
  tenantId: "atlas-tours",
  generation: 7,
  snapshotId: "20270201T031500Z-0a1b2c3d",
  manifestSha256: sha256,
  publishedAt: "2027-02-01T03:15:09.120Z",
  hold: { reason: "rolled back: wrong prices", since: "2027-02-01T04:00:00Z" },
  nonce: "00112233445566778899aabbccddeeff",
};

export const manifest = {
  format: "partner-programs/manifest@1",
  tenantId: "atlas-tours",
  generation: 7,
  snapshotId: "20270201T031500Z-0a1b2c3d",
  parent: "20270131T031500Z-ffffffff",
  ancestors: ["20270131T031500Z-ffffffff", "20270130T031500Z-ffffffff"],
  removed: {
    since: "20270130T031500Z-ffffffff",
    builds: [
      {
        snapshotId: "20270131T031500Z-ffffffff",
        before: "20270130T031500Z-ffffffff",
        programs: ["porto-sintra"],
      },
    ],
  },
  generatedAt: "2027-02-01T03:15:00Z",
  contentAt: "2027-01-31T03:15:00.000Z",
  contract: "c0".repeat(32),
  counts: { programs: 1 },
  list: { key: `${prefix}/v1/programs.json`, sha256, size: 1201 },
  legacy: { key: `${prefix}/api/v1/partner/programs.json`, sha256, size: 210 },
  programs: { "lisbon-douro": { key: `${prefix}/v1/programs/lisbon-douro.json`, sha256, size: 2639 } },
};

export const tokens = {
  format: "partner-programs/tokens@1",
  revision: 2,
  tokens: [
    issueToken("atlas-tours", {
      name: "Website",
      expiresAt: "2028-01-01T00:00:00Z",
      rateLimit: 60,
      revokedAt: "2027-06-01T00:00:00Z",
      replaces: parseTokenId("tok_zzzzzzzzzzzzzzzz"),
    }).entry,
  ],
};

export const confirmed = {
  format: "partner-programs/confirmed@1",
  tenants: {
    "atlas-tours": {
      snapshotId: "20270201T031500Z-0a1b2c3d",
      confirmedAt: "2027-02-01T03:15:00Z",
      triedAt: "2027-02-01T03:15:09.120Z",
      outcome: "published",
    },
  },
};

export const store = {
  format: "partner-programs/store@1",
  storeId: "store_0123456789ABCdef",
  createdAt: "2027-01-01T00:00:00.000Z",
};

export const sandbox = {
  format: "partner-programs/sandbox@1",
  tenantId: "sandbox",
  since: "2027-02-01T03:15:00Z",
};

export const removed = {
  format: "partner-programs/removed@1",
  revision: 2,
  tenants: {
    "atlas-tours": { removedAt: "2027-02-01T03:15:00Z", isPurged: true, generation: 157 },
  },
};

export const lastRuns = {
  format: "partner-programs/last-runs@1",
  runsOfAll: [
    {
      shard: "1/2",
      runId: "20270201T031500Z-0a1b2c3d",
      startedAt: "2027-02-01T03:15:00Z",
      endedAt: "2027-02-01T03:16:00Z",
      outcome: "partial",
      failure: { code: "interrupted", message: "Interrupted." },
      tenants: ["atlas-tours"],
    },
  ],
  tenants: {
    "atlas-tours": {
      runId: "20270201T031500Z-0a1b2c3d",
      endedAt: "2027-02-01T03:16:00Z",
      outcome: "failed",
      failure: { code: "source_contract", message: "A view is missing." },
      onInvalid: "report",
      leftOut: ["p 1", null],
      leftOutCount: 2,
      problemCounts: { name_missing: 2 },
    },
  },
};
