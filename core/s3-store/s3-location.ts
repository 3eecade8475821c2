import { Failure } from "../failure.ts";
import { checkedKey } from "../object-key.ts";

/** Where the store's objects are: a bucket, and the prefix of all their keys (empty, or ending in `/`). */
export interface S3Location {
  readonly bucket: string;
  readonly prefix: string;
}

/** S3's limit on a key, which includes the prefix. */
const maxKeyBytes = 1024;

/** The location as people write it. */
export function s3Address(location: S3Location): string {
  return `s3://${location.bucket}/${location.prefix}`;
}

/** The key as S3 knows it. Throws `usage` for a key that not every driver can store. */
export function s3Key(location: S3Location, key: string): string {
  const full = location.prefix + checkedKey(key);
  if (full.length <= maxKeyBytes) return full;
  throw new Failure("usage", `The key ${JSON.stringify(key)} is too long below ${s3Address(location)}.`);
}
