import { expect, test } from "vitest";
import { folderFailure } from "../../../core/file-store/file-error.ts";

test.each([
  ["ENOSPC", "store_unavailable", "could not take runs/a.json, since the disk is full; make room there"],
  ["EDQUOT", "store_unavailable", "could not take runs/a.json, since the quota is used up; make room there"],
  ["EROFS", "store_denied", "lies on a read-only file system, so runs/a.json can't be written"],
  ["EACCES", "store_denied", "No permission for runs/a.json in the store's folder; check its owner and mode"],
  ["EIO", "store_unavailable", "could not serve runs/a.json: EIO"],
])("%s at an object says what is wrong, where, and how to mend it", (code, expected, words) => {
  const cause = Object.assign(new Error(code), { code });
  const failure = folderFailure("runs/a.json", cause);
  expect([failure.code, failure.cause]).toEqual([expected, cause]);
  expect(failure.message).toContain(words);
});
