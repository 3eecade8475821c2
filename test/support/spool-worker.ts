import { readFileSync } from "node:fs";
import { Spool } from "../../cli/publish/content/spool.ts";

// Spools 8 MiB in one piece, and prints whether they came back.
using spool = new Spool();
const text = "spooled ".repeat(1024 * 1024);
try {
  spool.append(text);
  const body = spool.finish();
  console.log(body.kind === "file" && readFileSync(body.path, "utf8") === text ? "whole" : "damaged");
} catch (error) {
  console.log(error instanceof Error && "code" in error ? error.code : error);
}
