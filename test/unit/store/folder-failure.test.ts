import { expect, test } from "vitest";
import { folderFailure } from "../../../core/file-store/file-error.ts";

test.each([
  ["ENOSPC", "store_unavailable", /disk is full; make room/],
  ["EDQUOT", "store_unavailable", /quota .* make room/],
  ["EROFS", "store_denied", /read-only .* for writing/],
  ["EACCES", "store_denied", /its owner and mode/],
  ["EIO", "store_unavailable", /EIO/],
])("%s at an object says what is wrong, where, and how to mend it", (code, expected, words) => {
  const cause = Object.assign(new Error(code), { code });
  const failure = folderFailure("runs/a.json", cause);
  expect([failure.code, failure.cause]).toEqual([expected, cause]);
  expect(failure.message).toContain("runs/a.json");
  expect(failure.message).toMatch(words);
});
