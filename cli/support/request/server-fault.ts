import type { RequestLine } from "../../gateway-log/request-line.ts";
import type { RealCause } from "./request-facts.ts";

/** What an operator can do about a 500, by what the gateway noted; the note itself names the object or the fault. */
export function serverFault(line: RequestLine): RealCause {
  const cause = line.cause ?? "";
  const tenant = line.tenantId === null ? "" : ` --tenant ${line.tenantId}`;
  const { text, commands } = remedies.find(({ pattern }) => pattern.test(cause)) ?? unexpected;
  return {
    summary: `The gateway could not answer: ${cause === "" ? "it noted no cause." : cause}`,
    next: { text, commands: commands.map((command) => command.replace("{tenant}", tenant)) },
  };
}

interface Remedy {
  readonly pattern: RegExp;
  readonly text: string;
  /** `{tenant}` stands for the option that names the tenant. */
  readonly commands: readonly string[];
}

/** In this order: the registry's cause may quote the store's. */
const remedies: readonly Remedy[] = [
  {
    pattern: /token registry/,
    text: "The gateways can't confirm auth/tokens.json and fail closed. See whether the store answers and the object is whole; they recover by themselves.",
    commands: ["store check", "token list"],
  },
  {
    pattern: /no published snapshot/,
    text: "The token's tenant was never published. Build it, or revoke the token.",
    commands: ["snapshot status{tenant}", "snapshot build{tenant}"],
  },
  {
    pattern:
      /digest|instead of|longer than|ended after|missing|does not fit|is not JSON|went back|belongs to|refused as a whole/,
    text: "An object in the store is damaged or gone. See how much; then write every file anew, or make an earlier snapshot live.",
    commands: ["snapshot verify{tenant}", "snapshot build{tenant} --rewrite", "snapshot rollback{tenant}"],
  },
  {
    pattern: /store|timed? ?out|took longer|ECONN|ENOTFOUND|EACCES|denied/i,
    text: "The object store did not answer in time or refused. Gateways recover by themselves once it does.",
    commands: ["store check"],
  },
];

const unexpected: Omit<Remedy, "pattern"> = {
  text: "This is unexpected: keep the log lines around it and report them.",
  commands: ["snapshot status{tenant}", "store check"],
};
