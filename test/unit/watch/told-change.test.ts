import { expect, test } from "vitest";
import { toldChange } from "../../../cli/publish/watch/notifications.ts";

test.each([
  ["acme", { tenantId: "acme", program: undefined }],
  ["acme p-1", { tenantId: "acme", program: "p-1" }],
  // A row may have an id that no program can have.
  ["acme p/1", { tenantId: "acme", program: undefined }],
  ["acme -1", { tenantId: "acme", program: undefined }],
])("the payload %j is of a tenant", (payload, expected) => {
  expect(toldChange(payload)).toEqual(expected);
});

test.each([
  "",
  " ",
  "acme ",
  " acme",
  "acme p-1 p-2",
  "please rebuild all",
  "-acme",
  "../acme",
  `${"a".repeat(65)}`,
])("the payload %j means everything", (payload) => {
  expect(toldChange(payload)).toBeUndefined();
});
