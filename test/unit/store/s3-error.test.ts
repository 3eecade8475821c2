import { describe, expect, test } from "vitest";
import { errorKind, kindOf, S3Failure } from "../../../core/store/s3-store/s3-error.ts";

const call = { operation: "GetObject", location: { bucket: "b", prefix: "p/" }, key: "a.json" } as const;

describe("what an S3 error amounts to", () => {
  test.each([
    [404, "NoSuchKey", "no_object"],
    [404, "NoSuchBucket", "no_bucket"],
    [412, "PreconditionFailed", "precondition_failed"],
    [409, "ConditionalRequestConflict", "conflict"],
    [403, "AccessDenied", "denied"],
    [403, "SignatureDoesNotMatch", "credentials"],
    [403, "RequestTimeTooSkewed", "clock_skew"],
    [400, "ExpiredToken", "credentials"],
    [400, "AuthorizationHeaderMalformed", "wrong_region"],
    [301, "PermanentRedirect", "wrong_region"],
    [501, "NotImplemented", "unsupported"],
    [405, "MethodNotAllowed", "unsupported"],
    [400, "BadDigest", "damaged_request"],
    [400, "RequestTimeout", "damaged_request"],
    [503, "SlowDown", "throttled"],
    [429, "Unknown", "throttled"],
    [500, "InternalError", "unavailable"],
    [502, "Unknown", "unavailable"],
    // A proxy or another server than Amazon's may send no code, and an answer to HEAD has no body for one.
    [300, "", "unavailable"],
    [307, "", "wrong_region"],
    [400, "", "unsupported"],
    [401, "", "denied"],
    [403, "", "denied"],
    [404, "", "unavailable"],
    [408, "", "unavailable"],
    [409, "", "conflict"],
    [412, "", "precondition_failed"],
    [499, "", "unsupported"],
    [500, "", "unavailable"],
    [501, "", "unsupported"],
    [503, "", "busy"],
    [undefined, "ECONNRESET", "unavailable"],
    [undefined, "CERT_HAS_EXPIRED", "unavailable"],
    [undefined, "TimeoutError", "unavailable"],
    [undefined, "CredentialsProviderError", "credentials"],
    [undefined, "AccessDenied", "denied"],
    [undefined, "InternalError", "unavailable"],
    [undefined, "TypeError", "defect"],
    [undefined, "ERR_INVALID_ARG_TYPE", "defect"],
  ] as const)("HTTP %s with the code %s is %s", (status, code, kind) => {
    expect(errorKind(status, code)).toBe(kind);
  });

  test("a 404 that does not say NoSuchKey is unavailable: it says nothing about an object", () => {
    expect(errorKind(404, "NotFound")).toBe("unavailable");
  });

  test("an answer that could not be read although its status was 200 is unavailable", () => {
    const thrown = Object.assign(new SyntaxError("unclosed tag"), { $metadata: { httpStatusCode: 200 } });
    expect(kindOf(thrown)).toBe("unavailable");
  });

  test("a region that nobody set is a fault of the settings", () => {
    expect(new S3Failure(call, new Error("Region is missing"))).toMatchObject({
      code: "settings",
      message: expect.stringContaining("AWS_REGION"),
    });
  });
});

test("the failure of an S3 call carries nothing of the SDK's error but its name and its stack", () => {
  const thrown = Object.assign(new Error("AKIA-secret in the message"), {
    name: "X",
    $response: { headers: "signed" },
  });
  const failure = new S3Failure(call, thrown);
  expect(failure.cause).toBeInstanceOf(Error);
  expect(JSON.stringify(Object.getOwnPropertyDescriptors(failure.cause))).not.toMatch(/AKIA-secret|signed/);
  const frames = thrown.stack?.split("\n").slice(1);
  expect(failure.cause).toMatchObject({ stack: ["X", ...(frames ?? [])].join("\n") });
});
