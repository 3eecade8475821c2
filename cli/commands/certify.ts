import { Command, Option } from "commander";
import { Failure } from "../../core/failure.ts";
import type { TokenId } from "../../core/ids.ts";
import { forEachRequest } from "../operate/gateway-log/merged-requests.ts";
import { layoutOf } from "../output/layout.ts";
import { createCertifier } from "../partners/certify/certificate.ts";
import { certificateText } from "../partners/certify/certificate-text.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { logOption, logSources } from "./log-option.ts";
import { asTokenId } from "./option-values.ts";

interface CertifyFlags {
  readonly tokenId: TokenId;
  readonly log?: readonly string[];
  readonly behindProxy: boolean;
  readonly direct: boolean;
  readonly json: boolean;
}

/** `certify`: how well a partner's client behaves. It needs the gateway's log only, no store and no database. */
export function certify(shell: Shell): Command {
  return new Command()
    .requiredOption("--token-id <id>", "the token's id (see `token list`)", asTokenId)
    .addOption(logOption())
    .option("--behind-proxy", "the log's connections are those of a proxy: judge nothing by them", false)
    .addOption(
      new Option("--direct", "the log's connections are the client's own, even if they bear other tokens")
        .default(false)
        .conflicts("behindProxy"),
    )
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, flags: CertifyFlags): Promise<ExitStatus> {
  const { tokenId, log, behindProxy, direct, json } = flags;
  const logs = logSources(shell, settingsOf(shell), log);
  const certifier = createCertifier(tokenId, behindProxy ? "proxy" : direct ? "own" : undefined);
  await forEachRequest(logs, certifier.see, shell.signal);
  const certificate = certifier.certificate();
  if (certificate === undefined) {
    throw new Failure(
      "not_found",
      `No request of the log bore the token ${tokenId}. Is it the gateway's log, with LOG_LEVEL=info, of the right time?`,
    );
  }
  if (json) printJson(shell, certificate);
  else shell.stdout.write(certificateText(certificate, layoutOf(shell)));
  return certificate.verdict === "fail" ? 1 : 0;
}
