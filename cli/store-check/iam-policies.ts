import { tenantsPrefix, tokensKey } from "../../core/object-key.ts";

/** A policy document of AWS IAM. */
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
  /** For `partner-programs`: builds, tokens and the tools. */
  readonly generator: IamPolicy;
  /** For `partner-programs-gateway`: reads only, and only what it serves from. */
  readonly gateway: IamPolicy;
}

/** The least that each program needs on the objects below `prefix` (empty, or ending in `/`). */
export function iamPolicies({
  bucket,
  prefix,
}: {
  readonly bucket: string;
  readonly prefix: string;
}): IamPolicies {
  const bucketArn = `arn:aws:s3:::${bucket}`;
  const below = (path: string): string => `${bucketArn}/${prefix}${path}`;
  const list = allow("List", ["s3:ListBucket"], [bucketArn]);
  // For a read of a missing object AWS takes its key for the prefix, so the answer stays 404.
  const listBelow =
    prefix === "" ? list : { ...list, Condition: { StringLike: { "s3:prefix": [`${prefix}*`] } } };
  return {
    generator: policy(
      listBelow,
      allow("ReadAndWrite", ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"], [below("*")]),
    ),
    gateway: policy(
      listBelow,
      allow("Read", ["s3:GetObject"], [below(`${tenantsPrefix}*`), below(tokensKey)]),
    ),
  };
}

function policy(...statements: readonly IamStatement[]): IamPolicy {
  return { Version: "2012-10-17", Statement: statements };
}

function allow(sid: string, actions: readonly string[], resources: readonly string[]): IamStatement {
  return { Sid: sid, Effect: "Allow", Action: actions, Resource: resources };
}
