import { describe, expect, test } from "vitest";
import { awsVariables, effectiveSettings } from "../../../cli/commands/config.ts";

describe("the effective settings", () => {
  test("never hold a secret, not even one in a faulty text", () => {
    const env = {
      DATABASE_URL: "postgres://user:canary@host/db?password=canary",
      REDIS_URL: "rediss://:canary@host",
      STORE_URL: "canary-store://canary",
      AWS_SECRET_ACCESS_KEY: "canary",
      AWS_SESSION_TOKEN: "canary",
      AWS_ACCESS_KEY_ID: "canary",
      AWS_SOMETHING_NEW: "canary",
      AWS_ENDPOINT_URL_S3: "http://user:canary@host",
    };
    expect(JSON.stringify([effectiveSettings(env), awsVariables(env)])).not.toContain("canary");
  });

  test("show the AWS variables that are set, by name, and what is harmless of them", () => {
    const env = { AWS_REGION: "eu-west-1", AWS_SECRET_ACCESS_KEY: "x", AWS_PROFILE: "", OTHER: "y" };
    expect(awsVariables(env)).toEqual([
      { name: "AWS_REGION", value: "eu-west-1", origin: "environment" },
      { name: "AWS_SECRET_ACCESS_KEY", value: "(set, not shown)", origin: "environment" },
    ]);
  });
});
