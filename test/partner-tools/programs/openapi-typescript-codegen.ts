// The same with the client of openapi-typescript-codegen, which has a class `ApiError` of its own.
import { ApiError, OpenAPI, ProgramsService } from "../openapi-typescript-codegen";

const [baseUrl = "", token = ""] = process.argv.slice(2);
OpenAPI.BASE = baseUrl;
OpenAPI.TOKEN = token;

async function main(): Promise<void> {
  const { data } = await ProgramsService.listPrograms();
  const names: string[] = [];
  for (const { id } of data) names.push((await ProgramsService.getProgram(id)).data.name);
  const missing = await ProgramsService.getProgram("none").catch((error: unknown) => error);
  if (!(missing instanceof ApiError)) throw new Error("a 404 is no ApiError");
  console.log(JSON.stringify({ names, missing: missing.body.error.code }));
}

void main();
