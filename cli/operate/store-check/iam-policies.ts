import {
  auditPrefix,
  confirmedKey,
  removedKey,
  runsPrefix,
  storeKey,
  tenantsPrefix,
  tokensKey,
} from "../../../core/ground/object-key.ts";
import { probesPrefix } from "../../shell/conditional-writes.ts";

/** A statement with a condition is about listings. */
export interface IamPolicy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly {
    readonly Sid: string;
    readonly Effect: "Allow";
    readonly Action: readonly string[];
    readonly Resource: readonly string[];
    readonly Condition?: { readonly StringLike: { readonly "s3:prefix": readonly string[] } };
  }[];
}

/**
 * `generator`: for builds and the `snapshot` commands; it can neither read nor issue tokens. `tokens`: for
 * the `token` commands, which people run. `gateway`: for `partner-programs-gateway`, which only reads, and
 * only what it needs to serve.
 */
type Role = "generator" | "tokens" | "gateway";
/** `Read` includes `List`, which S3 requires for telling a reader that an object is missing. */
type Access = "List" | "Read" | "Write" | "Delete";

/** What each role does with which keys. Each new kind of object needs a line here. */
const grants: readonly (readonly [
  keys: string,
  roles: Readonly<Partial<Record<Role, readonly Access[]>>>,
])[] = [
  [`${tenantsPrefix}*`, { generator: ["Read", "Write", "Delete"] }],
  [`${tenantsPrefix}*/current.json`, { tokens: ["Read"], gateway: ["Read"] }],
  [`${tenantsPrefix}*/snapshots/*`, { gateway: ["Read"] }],
  // A prune deletes old reports.
  [`${runsPrefix}*`, { generator: ["Read", "Write", "Delete"] }],
  // Reports of runs quote the source, so a gateway may not read them.
  [confirmedKey, { gateway: ["Read"] }],
  // The first write to a store makes its identity, which is never deleted (P160).
  [storeKey, { generator: ["Read", "Write"], tokens: ["Read", "Write"], gateway: ["Read"] }],
  // Token commands list tenants to find out whether a store is new: a new one has neither tokens nor tenants.
  [tenantsPrefix, { tokens: ["List"] }],
  [tokensKey, { tokens: ["Read", "Write"], gateway: ["Read"] }],
  // Nobody deletes a record of the audit. Issuing a token reads the list of removed tenants.
  [`${auditPrefix}*`, { generator: ["Read", "Write"], tokens: ["Read", "Write"] }],
  [removedKey, { tokens: ["Read"] }],
  // Both probe whether the store honours conditional writes before they write.
  [`${probesPrefix}*`, { generator: ["Read", "Write", "Delete"], tokens: ["Read", "Write", "Delete"] }],
];

const actions = { Read: "s3:GetObject", Write: "s3:PutObject", Delete: "s3:DeleteObject" } as const;

/** The least that each role needs on the objects below `prefix` (empty, or ending in `/`). */
export function iamPolicies({ bucket, prefix }: { readonly bucket: string; readonly prefix: string }) {
  const bucketArn = `arn:aws:s3:::${bucket}`;
  const policyOf = (role: Role): IamPolicy => {
    const keysFor = (...accesses: readonly Access[]): readonly string[] =>
      grants.flatMap(([keys, roles]) =>
        accesses.some((access) => roles[role]?.includes(access)) ? [prefix + keys] : [],
      );
    // AWS compares a missing object's key with these prefixes. A match makes the answer 404, not 403.
    const Condition = { StringLike: { "s3:prefix": keysFor("List", "Read") } };
    const ofBucket = { Action: ["s3:ListBucket"], Resource: [bucketArn], Condition };
    const list = { Sid: "List", Effect: "Allow", ...ofBucket } as const;
    const others = Object.entries(actions).flatMap(([access, action]) => {
      const Resource = keysFor(access as Access).map((key) => `${bucketArn}/${key}`);
      return Resource.length === 0
        ? []
        : [{ Sid: access, Effect: "Allow" as const, Action: [action], Resource }];
    });
    return { Version: "2012-10-17", Statement: [list, ...others] };
  };
  return { generator: policyOf("generator"), tokens: policyOf("tokens"), gateway: policyOf("gateway") };
}
