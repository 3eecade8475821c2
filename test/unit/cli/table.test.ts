import { expect, test } from "vitest";
import { numbers, table } from "../../../cli/output/lines.ts";

test("aligns columns by what a terminal shows, each row on one line", () => {
  const columns = ["TENANT", numbers("COUNT"), "STATE"];
  const rows = [
    ["acme", "7", "\u001b[32mlive\u001b[39m"],
    ["日本旅行", "1,200", ""],
    ["x".repeat(90), "12", "a state of several words"],
  ];
  const gap = " ".repeat(84);
  expect(table(columns, rows)).toBe(
    [
      `TENANT${gap}  COUNT  STATE`,
      `acme  ${gap}      7  \u001b[32mlive\u001b[39m`,
      `日本旅行${gap.slice(2)}  1,200`,
      `${"x".repeat(90)}     12  a state of several words`,
      "",
    ].join("\n"),
  );
});
