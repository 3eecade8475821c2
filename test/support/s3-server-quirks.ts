import type { IamPolicy } from "../../cli/operate/store-check/iam-policies.ts";

/** How a store deviates from S3, and what its credentials may do. Changed at will while the server runs. */
export interface S3Quirks {
  /** `unquoted`: If-Match is compared without its quotes, as Ceph's gateway up to 16 does. */
  ifMatch: "honoured" | "unquoted" | "ignored";
  ifNoneMatch: "honoured" | "ignored";
  /** Conditions are looked at first and the object is written later: right for one writer, wrong for two. */
  racyConditions: boolean;
  /** What losers of a race are told. `mixed`: 500 about every other time, as Ceph's gateway does. */
  losers: "412" | "409" | "mixed";
  checksums: "verified" | "ignored" | "refused";
  deleteObjects: "standard" | "md5_only" | "missing";
  /** Answers of GetObject without Content-Length, their end marked by the end of the connection. */
  connectionDelimited: boolean;
  mayGet: boolean;
  mayPut: boolean;
  /** Without it S3 also answers 403 instead of 404 for a missing object. */
  mayList: boolean;
  mayDelete: boolean;
  /** The error code of an answer 400 to every request; `undefined`: requests are answered. */
  refusal: string | undefined;
  /** What is granted to the credentials; everything without one. */
  policy: IamPolicy | undefined;
  /** The only access key that is accepted. */
  accessKeyId: string;
  /** What the server's clock is ahead of this machine's. */
  clockAheadMs: number;
  /** Most keys on a page of a listing. */
  pageSize: number;
}

export function standardQuirks(): S3Quirks {
  return {
    ifMatch: "honoured",
    ifNoneMatch: "honoured",
    racyConditions: false,
    losers: "412",
    checksums: "verified",
    deleteObjects: "standard",
    connectionDelimited: false,
    mayGet: true,
    mayPut: true,
    mayList: true,
    mayDelete: true,
    refusal: undefined,
    policy: undefined,
    accessKeyId: "test-key",
    clockAheadMs: 0,
    pageSize: 1000,
  };
}
