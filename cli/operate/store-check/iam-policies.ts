import {
  auditPrefix,
  confirmedKey,
  removedKey,
  runsPrefix,
  storeKey,
  tenantsPrefix,
  tokensKey,
} from "../../../core/object-key.ts";
import { probesPrefix } from "../../publish/store/probe-objects.ts";

export interface IamPolicy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly IamStatement[];
}

interface IamStatement {
  readonly Sid: string;
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: { readonly StringLike: { readonly "s3:prefix": readonly string[] } };
}

export interface IamPolicies {
  /** For builds and the `snapshot` commands. It can neither read nor issue tokens. */
  readonly generator: IamPolicy;
  /** For the `token` commands, which people run. */
  readonly tokens: IamPolicy;
  /** For `partner-programs-gateway`, which only reads, and only what it needs to serve. */
  readonly gateway: IamPolicy;
}

type Role = keyof IamPolicies;
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

const actions: Readonly<Record<Exclude<Access, "List">, string>> = {
  Read: "s3:GetObject",
  Write: "s3:PutObject",
  Delete: "s3:DeleteObject",
};

/** The least that each role needs on the objects below `prefix` (empty, or ending in `/`). */
export function iamPolicies(location: { readonly bucket: string; readonly prefix: string }): IamPolicies {
  return {
    generator: policyOf("generator", location),
    tokens: policyOf("tokens", location),
    gateway: policyOf("gateway", location),
  };
}

function policyOf(
  role: Role,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): IamPolicy {
  const bucketArn = `arn:aws:s3:::${bucket}`;
  const keysFor = (...accesses: readonly Access[]): readonly string[] =>
    grants
      .filter(([, roles]) => accesses.some((access) => roles[role]?.includes(access)))
      .map(([keys]) => keys);
  const accesses = (["Read", "Write", "Delete"] as const).filter((access) => keysFor(access).length > 0);
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Sid: "List",
        Effect: "Allow",
        Action: ["s3:ListBucket"],
        Resource: [bucketArn],
        // For a read of a missing object, AWS compares its key with these prefixes. A match makes the answer 404, not 403.
        Condition: { StringLike: { "s3:prefix": keysFor("List", "Read").map((keys) => prefix + keys) } },
      },
      ...accesses.map(
        (access): IamStatement => ({
          Sid: access,
          Effect: "Allow",
          Action: [actions[access]],
          Resource: keysFor(access).map((keys) => `${bucketArn}/${prefix}${keys}`),
        }),
      ),
    ],
  };
}
