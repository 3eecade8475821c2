import { Failure } from "../../core/ground/failure.ts";
import { printable } from "../../core/ground/printable.ts";
import { layoutOf } from "../output/layout.ts";
import {
  type FoundRequests,
  findRequests,
  isKeptRequestId,
  requestIdIn,
} from "../read/gateway-log/find-requests.ts";
import { printJson, settingsOf, withStore } from "../shell/shell.ts";
import { explainRequests } from "../support/explain-requests.ts";
import { createAskedDatabase } from "../support/facts/asked-database.ts";
import { requestJson, requestText } from "../support/texts/request.ts";
import { argument, command, json } from "./command.ts";
import { buildWithin, logFlag, logSources, supportReader } from "./option-values.ts";

/** `request explain`: why a request was answered as it was. */
export const requestExplain = command(
  {
    requestId: argument("the X-Request-Id of the answer; an error body has it as requestId", requestIdIn),
    log: logFlag(),
    buildWithin,
    json,
  },
  async (shell, { requestId, log, buildWithin, json }) => {
    const { signal } = shell;
    const found = await findRequests(logSources(shell, log), requestId, signal);
    if (found.requests.length === 0) throw notLogged(requestId, found);
    const database = createAskedDatabase(settingsOf(shell));
    const reader = supportReader(shell, buildWithin);
    const requests = await withStore(settingsOf(shell), (store) =>
      explainRequests(found.requests, { store, database, reader, signal }),
    );
    const { omitted, faults } = found;
    if (json) return printJson(shell, { requestId, requests: requests.map(requestJson), omitted, faults });
    const layout = layoutOf(shell);
    shell.stdout.write(requests.map((request) => requestText(request, layout)).join("\n"));
    for (const fault of faults) shell.stderr.write(`partner-programs: ${printable(fault)}\n`);
    if (omitted === 0) return;
    shell.stderr.write(`The id stands in ${omitted} more lines; a client uses one for many requests.\n`);
  },
);

function notLogged(requestId: string, { covers, faults }: FoundRequests): Failure {
  const log = `The log has no request ${JSON.stringify(requestId)}`;
  if (!isKeptRequestId(requestId)) {
    const advice =
      "The gateway keeps an id of 1 to 128 of A-Z a-z 0-9 . _ - and replaces any other by one of its own: " +
      "ask for the X-Request-Id of the answer, or the requestId of its body.";
    return new Failure("not_found", `${log}, and can't have it. ${advice}`);
  }
  const why =
    covers === null
      ? "no line of it is a request as the gateway logs them. Is it the gateway's log, with LOG_LEVEL=info?"
      : `it covers ${covers.from} to ${covers.to}. Check the id, and look into the logs of the other gateways and days (--log may be given several times).`;
  const unread = faults.map((fault) => ` Some data could not be read: ${fault}`).join("");
  return new Failure("not_found", `${log}; ${why}${unread}`);
}
