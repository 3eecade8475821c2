import { expect, test } from "vitest";
import { requestedAction } from "../../../gateway/arguments.ts";

test.each([
  [[], "serve"],
  [["--help"], "help"],
  [["--version"], "version"],
  [["--version", "--json"], "version_json"],
  [["--version --json", ""], undefined],
  [["--json"], undefined],
  [["--check-config"], "check_config"],
  [["serve"], undefined],
  [["--help", "--version"], undefined],
  [["--port=1"], undefined],
])("%j asks for %s", (args, kind) => {
  expect(requestedAction(args)).toBe(kind);
});
