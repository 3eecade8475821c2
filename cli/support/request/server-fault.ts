import type { CauseCode } from "../../../core/cause-code.ts";
import type { RequestLogLine } from "../../gateway-log/request-line.ts";
import type { RealCause } from "./request-facts.ts";

/** What an operator can do about a 500, by the code that the gateway noted; its text names the object or the fault. */
export function serverFault(line: RequestLogLine): RealCause {
  const tenant = line.tenantId === null ? "" : ` --tenant ${line.tenantId}`;
  const { text, commands } = remedies.get(line.causeCode) ?? unexpected;
  return {
    summary: `The gateway could not answer: ${line.cause ?? "it noted no cause."}`,
    next: { text, commands: commands.map((command) => command.replace("{tenant}", tenant)) },
  };
}

interface Remedy {
  readonly text: string;
  /** `{tenant}` stands for the option that names the tenant. */
  readonly commands: readonly string[];
}

const storeFault: Remedy = {
  text: "The object store did not answer in time or refused. Gateways recover by themselves once it does.",
  commands: ["store check"],
};

const remedies: ReadonlyMap<string | null, Remedy> = new Map<CauseCode, Remedy>([
  [
    "registry_unconfirmed",
    {
      text: "The gateways can't confirm auth/tokens.json and fail closed. See whether the store answers and the object is whole; they recover by themselves.",
      commands: ["store check", "token list"],
    },
  ],
  [
    "not_found",
    {
      text: "The token's tenant was never published. Build it, or revoke the token.",
      commands: ["snapshot status{tenant}", "snapshot build{tenant}"],
    },
  ],
  [
    "corrupt_document",
    {
      text: "An object in the store is damaged or gone. See how much; then write every file anew, or make an earlier snapshot live.",
      commands: ["snapshot verify{tenant}", "snapshot build{tenant} --rewrite", "snapshot rollback{tenant}"],
    },
  ],
  ["store_unavailable", storeFault],
  ["store_denied", storeFault],
  ["store_unsupported", storeFault],
]);

const unexpected: Remedy = {
  text: "This is unexpected: keep the log lines around it and report them.",
  commands: ["snapshot status{tenant}", "store check"],
};
