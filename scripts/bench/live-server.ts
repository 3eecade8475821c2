// What the gateway is compared with: the API written the straightforward way. Express asks PostgreSQL for every request, and serialises
// the answer.
import { createServer } from "node:http";
import express from "express";
import pg from "pg";
import { terminalStatusTest } from "../../cli/publish/public-program/capacity.ts";
import type { ProgramSource } from "../../cli/publish/public-program/program-source.ts";
import { publicProgram } from "../../cli/publish/public-program/public-program.ts";
import { programsQuery } from "../../cli/publish/source/program-queries.ts";
import { programSource } from "../../cli/publish/source/program-row.ts";
import { listen } from "../../core/listen.ts";
import { defaultTerminalStatuses } from "../../core/settings.ts";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const tenantId = process.env.TENANT ?? "";
const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };
const asText = { getTypeParser: () => (text: unknown) => text };

const app = express();
app.get("/v1/programs", async (_, response) => {
  const data = (await sources()).map((source) => publicProgram(source, rules));
  const items = data.flatMap((program) => (program.kind === "published" ? [program.listItem] : []));
  response.json({ data: items, meta: { count: items.length } });
});
app.get("/v1/programs/:id", async (request, response) => {
  const [source] = await sources(request.params.id);
  const program = source && publicProgram(source, rules);
  if (program?.kind !== "published") response.status(404).json({ error: { code: "not_found" } });
  else response.json({ data: { ...program.listItem, ...program.detailOnly } });
});
console.log(
  JSON.stringify({
    url: await listen(createServer(app), { host: "127.0.0.1", port: 0, setting: "nothing" }),
  }),
);
process.on("SIGTERM", () => process.exit(0));

const maxBytes = 64 * 1024 * 1024;

async function sources(programId?: string): Promise<ProgramSource[]> {
  const isNarrowed = programId !== undefined;
  const config = {
    text: programsQuery({ maxBytes, isNarrowed }),
    values: isNarrowed ? [tenantId, [programId]] : [tenantId],
    rowMode: "array" as const,
    types: asText,
  };
  const { rows } = await pool.query<(string | null)[]>(config as unknown as pg.QueryArrayConfig);
  return rows.map(([id = null, json]) => programSource(id, JSON.parse(json ?? "{}"), null));
}
