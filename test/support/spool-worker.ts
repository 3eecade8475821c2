import { Spool } from "../../cli/snapshot/spool.ts";

// Spools 8 MiB in one piece, and prints whether they came back.
using spool = new Spool();
const piece = Buffer.alloc(8 * 1024 * 1024, "spooled ");
try {
  spool.append(piece);
  console.log(spool.item(0).equals(piece) ? "whole" : "damaged");
} catch (error) {
  console.log(error instanceof Error && "code" in error ? error.code : error);
}
