// The same with the client of @hey-api/openapi-ts.
import { client } from "../hey-api/client.gen";
import { getProgram, listPrograms } from "../hey-api/sdk.gen";

const [baseUrl = "", token = ""] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: token });

async function main(): Promise<void> {
  const { data, error } = await listPrograms();
  if (data === undefined) throw new Error(error.error.code);
  const names: string[] = [];
  for (const { id } of data.data) {
    const detail = await getProgram({ path: { programId: id } });
    if (detail.data === undefined) throw new Error(detail.error.error.code);
    names.push(detail.data.data.name);
  }
  const missing = await getProgram({ path: { programId: "none" } });
  console.log(JSON.stringify({ names, missing: missing.error?.error.code }));
}

void main();
