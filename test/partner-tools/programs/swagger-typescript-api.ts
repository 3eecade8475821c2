// The same with the client of swagger-typescript-api, whose errors have one type.
import { Api, type ErrorResponse, type StaffTeacher } from "../swagger-typescript-api/api.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const api = new Api({ baseUrl, baseApiParams: { headers: { authorization: `Bearer ${token}` } } });

type IsSame<One, Other> = [One, Other] extends [Other, One] ? true : false;
type Refusal = Awaited<ReturnType<typeof api.v1.listPrograms>>["error"];
// Each line compiles only while the type on its right is what the API sends.
const isOneError: IsSame<Refusal, ErrorResponse> = true;
const mayBeUnknown: IsSame<StaffTeacher["gender"], "male" | "female" | null> = true;

async function main(): Promise<void> {
  const { data } = await api.v1.listPrograms();
  const names: string[] = [];
  for (const { id } of data.data) names.push((await api.v1.getProgram(id)).data.data.name);
  const missing = await api.v1
    .getProgram("none")
    .then(() => undefined)
    .catch((answer: { error: ErrorResponse }) => answer.error.error.code);
  console.log(JSON.stringify({ names, missing, isOneError, mayBeUnknown }));
}

void main();
