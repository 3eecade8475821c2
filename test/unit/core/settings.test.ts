import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Environment, parseSettings, type SettingTable } from "../../../core/process/setting-parser.ts";
import { cliSettings, gatewaySettings } from "../../../core/process/settings.ts";

function values<const Table extends SettingTable>(table: Table, env: Environment) {
  const parsed = parseSettings(table, env);
  if (!parsed.ok) throw new Error(parsed.faults.join("\n"));
  return parsed.values;
}

function faults(table: SettingTable, env: Environment): readonly string[] {
  const parsed = parseSettings(table, env);
  return parsed.ok ? [] : parsed.faults;
}

describe("settings by default", () => {
  // The others are shown by `docs/settings.md`, which is generated from the values themselves.
  test("are a database and a store below DATA_DIR", () => {
    expect(values(cliSettings, {})).toMatchObject({
      databaseUrl: { kind: "embedded" },
      dataDir: resolve("data"),
      storeUrl: { kind: "file", directory: resolve("data/store") },
    });
  });

  test.each(["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])("path style is on when %s is set", (name) => {
    expect(values(cliSettings, { [name]: "http://127.0.0.1:9000" }).s3ForcePathStyle).toBe(true);
    expect(
      values(cliSettings, { [name]: "http://127.0.0.1:9000", S3_FORCE_PATH_STYLE: "false" }).s3ForcePathStyle,
    ).toBe(false);
  });

  test.each([
    ["file:/srv/store", undefined, true],
    ["file:/srv/store", "off", false],
    ["s3://bucket", undefined, false],
    ["s3://bucket/prefix", "on", true],
  ])("of a store at %s, LIVE_COPY being %s, copies for people are kept: %s", (STORE_URL, LIVE_COPY, isOn) => {
    expect(values(cliSettings, { STORE_URL, LIVE_COPY }).liveCopy).toBe(isOn);
  });

  test("an empty or blank variable counts as unset, and white space around a value as nothing", () => {
    const env = { STORE_URL: "", LOG_LEVEL: "  ", LEGACY_CAPACITY: " total\n", STORE_TIMEOUT_MS: " 500 " };
    expect(values(cliSettings, env)).toMatchObject({
      storeUrl: { directory: resolve("data/store") },
      logLevel: "info",
      legacyCapacity: "total",
      storeTimeoutMs: 500,
    });
  });
});

describe("faulty settings", () => {
  test.each([
    ["12h", 12 * 3_600_000, "12h"],
    ["26w", 182 * 86_400_000, "182d"],
    ["365d", 365 * 86_400_000, "365d"],
  ])("TOKEN_MAX_LIFETIME=%s", (TOKEN_MAX_LIFETIME, ms, shown) => {
    expect(values(cliSettings, { TOKEN_MAX_LIFETIME }).tokenMaxLifetimeMs).toBe(ms);
    expect(cliSettings.tokenMaxLifetimeMs.show(ms)).toBe(shown);
  });

  test.each(["0d", "365", "1y", "-1d", "1.5d"])("TOKEN_MAX_LIFETIME=%s is no duration", (text) => {
    expect(faults(cliSettings, { TOKEN_MAX_LIFETIME: text })).toEqual([
      expect.stringMatching(/^TOKEN_MAX_LIFETIME must be .* 90d/),
    ]);
  });

  test("are all named at once, each with what was expected", () => {
    expect(
      faults(cliSettings, {
        DATABASE_URL: "mysql://user:hunter2@db/booking",
        STORE_URL: "ftp://bucket",
        S3_FORCE_PATH_STYLE: "yes",
        STORE_TIMEOUT_MS: "99",
        LOG_LEVEL: "loud",
        LEGACY_CAPACITY: "both",
        LIVE_COPY: "yes",
        TERMINAL_ENROLLMENT_STATUSES: "cancelled,,expired",
      }),
    ).toEqual([
      expect.stringMatching(/^DATABASE_URL .*postgres:.*postgresql:/),
      expect.stringMatching(/^STORE_URL .*file:.*s3:/),
      expect.stringMatching(/^S3_FORCE_PATH_STYLE .*true, false$/),
      expect.stringMatching(/^STORE_TIMEOUT_MS .*100 to 600000$/),
      expect.stringMatching(/^LOG_LEVEL .*debug, info, warn, error, silent$/),
      expect.stringMatching(/^LEGACY_CAPACITY .*object, total$/),
      expect.stringMatching(/^TERMINAL_ENROLLMENT_STATUSES .*commas.*empty$/),
      expect.stringMatching(/^LIVE_COPY .*on, off$/),
    ]);
  });

  test.each(["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])("%s without its scheme, for a bucket", (name) => {
    const STORE_URL = "s3://bucket/programs";
    for (const endpoint of ["minio:9000", "127.0.0.1:9000", "http://", "ftp://ada:hunter2@minio"]) {
      const expected = [expect.stringMatching(new RegExp(`^STORE_URL .* ${name} .* must be like https://`))];
      for (const settings of [cliSettings, gatewaySettings]) {
        const found = faults(settings, { STORE_URL, [name]: endpoint });
        expect(found).toEqual(expected);
        expect(found.join()).not.toContain("hunter2");
      }
      expect(faults(cliSettings, { STORE_URL: "file:/srv", [name]: endpoint })).toEqual([]);
    }
    expect(faults(cliSettings, { STORE_URL, [name]: "http://minio:9000" })).toEqual([]);
  });

  test.each([
    ...[
      "hunter2",
      "postgres://user:hunter2@[bad",
      "postgres://user:hunter2@db:notaport/x",
      "postgres:/hunter2",
    ],
    ...["http://user:hunter2@db/x", "host=db password=hunter2", "postgres://user:99#hunter2@db/x"],
    ...[
      "postgres://user:99/hunter2@db/x",
      "postgres://user:99?hunter2@db/x",
      "postgres://user:hunter2%zz@db/x",
    ],
  ])("never echo what may hold a secret: %s", (text) => {
    const told = faults(cliSettings, { DATABASE_URL: text }).join();
    expect(told).toMatch(/^DATABASE_URL /);
    expect(told).not.toContain("hunter2");
    expect(faults(gatewaySettings, { REDIS_URL: text }).join()).not.toContain("hunter2");
  });

  test.each(["99#s@db/x", "99/s@db/x", "99?s@db/x", "s%@db/x"])(
    "a password that must be percent-encoded is told so: %s",
    (rest) => {
      expect(faults(cliSettings, { DATABASE_URL: `postgres://user:${rest}` })).toEqual([
        expect.stringContaining("in a user name or password write # as %23"),
      ]);
    },
  );

  test.each(["1.5", "-1", "1e3", "0x10", "٣", "10s", "1_000", "9999999999999999", "Infinity"])(
    "%s is no whole number",
    (text) => {
      expect(faults(gatewaySettings, { RATE_LIMIT_REQUESTS: text })).toEqual([
        expect.stringMatching(/^RATE_LIMIT_REQUESTS .* 1 to 1000000000$/),
      ]);
    },
  );

  test.each([
    ["MAX_VALUE_KB", 1, 65_536],
    ["MAX_PROGRAM_KB", 1, 262_144],
    ["MAX_LIST_MB", 1, 500],
    ["STORE_TIMEOUT_MS", 100, 600_000],
    ["RATE_LIMIT_WINDOW_SECONDS", 1, 86_400],
    ["TOKEN_REFRESH_MS", 50, 60_000],
    ["TOKEN_MAX_STALE_SECONDS", 1, 86_400],
    ["SNAPSHOT_REFRESH_MS", 0, 3_600_000],
    ["SNAPSHOT_MAX_STALE_SECONDS", 1, 31_536_000],
    ["CACHE_MAX_MB", 1, 1_048_576],
    ["MAX_CONNECTIONS", 1, 1_000_000],
    ["HEADERS_TIMEOUT_SECONDS", 1, 600],
    ["KEEP_ALIVE_TIMEOUT_SECONDS", 1, 3600],
    ["SEND_STALL_SECONDS", 1, 3600],
    ["SEND_TIMEOUT_SECONDS", 1, 86_400],
    ["SHUTDOWN_DELAY_SECONDS", 0, 3600],
    ["SHUTDOWN_GRACE_SECONDS", 0, 3600],
    ["PORT", 0, 65_535],
    ["ADMIN_PORT", 0, 65_535],
  ])("%s is from %i to %i", (name, min, max) => {
    const areTaken = [min - 1, min, max, max + 1].map((value) =>
      [cliSettings, gatewaySettings].every((table) => faults(table, { [name]: `${value}` }).length === 0),
    );
    expect(areTaken).toEqual([false, true, true, false]);
  });

  test.each(["", "example.com/path", "a b", "a;b", "http://x", "<script>"])("HOST %j", (host) => {
    expect(faults(gatewaySettings, { HOST: host })).toHaveLength(host === "" ? 0 : 1);
  });
});

test.each([
  ["postgres://app:hunter2@db.example/booking", "postgres://app:redacted@db.example/booking"],
  [
    "postgres://db.example/booking?password=hunter2&sslmode=require",
    "postgres://db.example/booking?redacted",
  ],
  ["postgresql:///booking?host=/tmp", "postgresql:///booking?redacted"],
  ["postgresql://app:hunter2@/booking?host=/tmp", "postgresql://app:redacted@/booking?redacted"],
  ["postgres://db.example/booking", "postgres://db.example/booking"],
])("settings as they are shown %s hides its secrets", (text, shown) => {
  const { databaseUrl } = values(cliSettings, { DATABASE_URL: text });
  expect(cliSettings.databaseUrl.show(databaseUrl)).toBe(shown);
});
