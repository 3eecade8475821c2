import { expect, test } from "vitest";
import { requestedAction } from "../../../gateway/arguments.ts";

test.each([
  [[], "serve"],
  [["--help"], "help"],
  [["--version"], "version"],
  [["--version", "--json"], "version_json"],
  [["--version --json", ""], "wrong_usage"],
  [["--json"], "wrong_usage"],
  [["--check-config"], "check_config"],
  [["serve"], "wrong_usage"],
  [["--help", "--version"], "wrong_usage"],
  [["--port=1"], "wrong_usage"],
])("%j asks for %s", (args, kind) => {
  expect(requestedAction(args).kind).toBe(kind);
});
