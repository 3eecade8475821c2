// Reads the list and every detail with openapi-fetch on the types of openapi-typescript.
import createClient from "openapi-fetch";
import type { components, paths } from "../openapi-typescript/schema.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

async function main(): Promise<void> {
  const { data, error } = await client.GET("/v1/programs");
  if (data === undefined) throw new Error(error.error.code);
  const names: string[] = [];
  for (const { id } of data.data) {
    const detail = await client.GET("/v1/programs/{programId}", { params: { path: { programId: id } } });
    if (detail.data === undefined) throw new Error(detail.error.error.code);
    const gender: readonly components["schemas"]["StaffTeacher"]["gender"][] =
      detail.data.data.staff?.teachers.map((teacher) => teacher.gender) ?? [];
    if (gender.some((word) => word !== null && word !== "male" && word !== "female"))
      throw new Error("gender");
    names.push(detail.data.data.name);
  }
  const missing = await client.GET("/v1/programs/{programId}", { params: { path: { programId: "none" } } });
  console.log(JSON.stringify({ names, missing: missing.error?.error.code }));
}

void main();
