import { runCli } from "../../cli/demo/programs.ts";

/** The headers of a request with a new token of the tenant. */
export async function tokenHeaders(
  tenant: string,
  env: NodeJS.ProcessEnv,
  ...options: readonly string[]
): Promise<Readonly<Record<string, string>>> {
  const token = await runCli(["token", "create", "--tenant", tenant, ...options], env);
  return { Authorization: `Bearer ${token.trim()}` };
}
