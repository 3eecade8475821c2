// The same with the client of oazapfts, whose answers are told apart by their status.
import { defaults, getProgram, listPrograms } from "../oazapfts/api.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
defaults.baseUrl = baseUrl;
defaults.headers = { authorization: `Bearer ${token}` };

async function main(): Promise<void> {
  const list = await listPrograms();
  if (list.status !== 200) throw new Error(list.data.error.code);
  const names: string[] = [];
  for (const { id } of list.data.data) {
    const detail = await getProgram(id);
    if (detail.status !== 200) throw new Error(detail.data.error.code);
    names.push(detail.data.data.name);
  }
  const missing = await getProgram("none");
  console.log(JSON.stringify({ names, missing: missing.status === 404 && missing.data.error.code }));
}

void main();
