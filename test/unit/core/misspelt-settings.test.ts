import { describe, expect, test } from "vitest";
import { misspeltSettings } from "../../../core/process/misspelt-settings.ts";
import { cliSettings, gatewaySettings } from "../../../core/process/settings.ts";

function nearest(...names: readonly string[]): readonly (readonly string[])[] {
  const env = Object.fromEntries(names.map((name) => [name, "x"]));
  return misspeltSettings(env).map(({ name, nearest }) => [name, nearest]);
}

describe("D132 a misspelt setting", () => {
  test.each([
    ["STORE_ULR", "STORE_URL"],
    ["STORE_TIMEOUT_SM", "STORE_TIMEOUT_MS"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["DATABSE_URL_FILE", "DATABASE_URL_FILE"],
    ["store_url", "STORE_URL"],
    ["TOKEN_MAX_LIFE_TIME", "TOKEN_MAX_LIFETIME"],
    ["RATE_LIMIT", "RATE_LIMIT_REQUESTS"],
    ["TERMINAL_ENROLLMENT", "TERMINAL_ENROLLMENT_STATUSES"],
  ])("%s is named with %s", (name, meant) => expect(nearest(name, "PATH", "HOME")).toEqual([[name, meant]]));

  test("any two letters exchanged, missing or too many in a long name are found", () => {
    for (const { name } of [...Object.values(cliSettings), ...Object.values(gatewaySettings)]) {
      if (name.length < 7) continue;
      const slips = [
        `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}`,
        `X${name}X`,
        `${name[0]}${name.slice(2)}`,
      ];
      for (const slip of slips) if (slip !== name) expect(nearest(slip), slip).toHaveLength(1);
    }
  });

  test("settings themselves and unset ones are not named", () => {
    const all = [...Object.values(cliSettings), ...Object.values(gatewaySettings)].map(({ name }) => name);
    expect(nearest(...all)).toEqual([]);
    expect(misspeltSettings({ STORE_ULR: " ", STORE_URI: undefined })).toEqual([]);
  });

  test("retired names, and what Kubernetes and others set, are silent", () => {
    const retired = [
      "AWS_ACCESS_KEY_ID_FILE AWS_SECRET_ACCESS_KEY_FILE CACHE_RENEWAL LAST_GOOD_MAX_MB REDIS_TIMEOUT_MS",
      "FRESHNESS_REFRESH_MS MAX_REQUESTS_PER_CONNECTION WATCH_ADMIN_HOST",
    ];
    const others = [
      "HOSTNAME LOGNAME TERMINAL DATABASE TOKEN REDIS ADMIN_USER STORAGE_URL_BASE REDIS_HOST HTTP_PROXY NODE_OPTIONS",
      "REDIS_PORT REDIS_SERVICE_HOST REDIS_SERVICE_PORT REDIS_PORT_6379_TCP_ADDR STORE_PORT STORE_SERVICE_HOST",
    ];
    expect(nearest(...[...retired, ...others].join(" ").split(" "))).toEqual([]);
    expect(misspeltSettings({ ADMINS_PORT: "tcp://10.0.0.1:80" })).toEqual([]);
  });
});
