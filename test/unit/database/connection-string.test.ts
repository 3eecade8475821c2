import { describe, expect, test } from "vitest";
import { connectionString } from "../../../cli/database/with-database-url.ts";

const asked = (query: string): string => connectionString(`postgres://u:p%23@db:5432/booking${query}`);
const modeOf = (text: string): string | null => new URL(text).searchParams.get("sslmode");

describe("the connection string", () => {
  test.each(["", "?sslmode=disable", "?sslmode=no-verify", "?sslmode=verify-full", "?application_name=a"])(
    "of %j is left as it is",
    (query) => expect(asked(query)).toBe(`postgres://u:p%23@db:5432/booking${query}`),
  );

  test.each(["allow", "prefer", "require", "verify-ca"])(
    "says of sslmode=%s what the driver makes of it",
    (mode) => {
      const text = asked(`?sslmode=${mode}&options=-c%20search_path%3Da&sslrootcert=/etc/ca.pem`);
      expect(modeOf(text)).toBe("verify-full");
      expect(new URL(text).searchParams.get("options")).toBe("-c search_path=a");
      expect(new URL(text).password).toBe("p%23");
    },
  );

  test("leaves libpq's meaning to whoever asks for it", () => {
    expect(modeOf(asked("?uselibpqcompat=true&sslmode=require"))).toBe("require");
  });

  test("is refused with a mode that is none, and never repeats the password", () => {
    expect(() => asked("?sslmode=required")).toThrow(
      /^DATABASE_URL: sslmode must be one of allow, disable, no-verify, prefer, require, verify-ca, verify-full\.$/,
    );
  });
});
