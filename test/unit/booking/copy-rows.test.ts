import { expect, test } from "vitest";
import { copyLine } from "../../../cli/demo/booking/copy-rows.ts";

test("NULL is told from the text that stands for it", () => {
  expect(copyLine([null, "\\N", ""])).toBe("\\N\t\\\\N\t\n");
});

test("an empty first column does not lose its separator", () => {
  expect(copyLine(["", "b"])).toBe("\tb\n");
});

test("tabs, line breaks and backslashes are escaped", () => {
  expect(copyLine(["a\tb\nc\rd\\e", 1.5])).toBe("a\\tb\\nc\\rd\\\\e\t1.5\n");
});

test("an array keeps quotes, commas, braces and backslashes of its elements", () => {
  expect(copyLine([['a"b', "c,d", "{e}", "f\\g", ""]])).toBe('{"a\\\\"b","c,d","{e}","f\\\\\\\\g",""}\n');
});
