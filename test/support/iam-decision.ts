import type { IamPolicy } from "../../cli/operate/store-check/iam-policies.ts";
import type { S3OperationName } from "./s3-server-protocol.ts";

/** Whether the policy allows the operation, decided as IAM does: nothing is allowed that no statement allows. */
export function isAllowed(policy: IamPolicy, { operation, bucket, key, prefix }: IamRequest): boolean {
  const action = actions[operation];
  // IAM takes the key of a read for the prefix when it asks whether the reader may learn that nothing is there.
  const resource = action === "s3:ListBucket" ? `arn:aws:s3:::${bucket}` : `arn:aws:s3:::${bucket}/${key}`;
  return policy.Statement.some(
    ({ Action, Resource, Condition }) =>
      action !== undefined &&
      Action.includes(action) &&
      Resource.some((pattern) => isLike(pattern, resource)) &&
      (Condition === undefined ||
        Condition.StringLike["s3:prefix"].some((pattern) => isLike(pattern, prefix))),
  );
}

export interface IamRequest {
  readonly operation: S3OperationName;
  readonly bucket: string;
  readonly key: string;
  /** Of a listing. */
  readonly prefix: string;
}

const actions: Readonly<Partial<Record<S3OperationName, string>>> = {
  GetObject: "s3:GetObject",
  PutObject: "s3:PutObject",
  DeleteObject: "s3:DeleteObject",
  ListObjectsV2: "s3:ListBucket",
};

function isLike(pattern: string, text: string): boolean {
  const source = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`).test(text);
}
