import { hadExpired, usableSuccessor } from "./ended-token.ts";
import type { ExplainedRequest } from "./explain-request.ts";

/** What can be sent to the partner as it is: no word of how the service is built, and nobody else's data. */
export function partnerMessage(request: ExplainedRequest): string {
  const { line } = request;
  const minute = `${line.time.slice(0, 10)} ${line.time.slice(11, 16)} UTC`;
  const what = line.programId === null ? "" : ` for program ${line.programId}`;
  return `Your request ${line.requestId} of ${minute}${what} was answered with ${line.status}. ${reason(request)}`;
}

function reason(request: ExplainedRequest): string {
  const { line } = request;
  if (line.isCut) return "The connection ended before you had the whole answer. Please send it again.";
  switch (line.status) {
    case 200:
      return "It was delivered whole.";
    case 400:
      return line.route === "detail"
        ? "The program id in the address is not well formed. Please take ids from the list, character by character."
        : "It was no well-formed HTTP request. Please check your HTTP client and the proxies in between.";
    case 401:
      return keyReason(request);
    case 403:
      return "Your access key may not read programs. We will give you another one.";
    case 404:
      if (line.route !== "detail") {
        return "The address is none of the API: /v1/programs for the list, /v1/programs/{id} for one program.";
      }
      return "The program was not on offer at that time. The list /v1/programs has all that are on offer now.";
    case 405:
      return "The API is read-only. Please send GET, from a server.";
    case 429:
      return `You made more requests than ${line.limit === null ? "agreed" : `the ${line.limit} allowed at a time`}. Please wait for as many seconds as Retry-After says, and keep answers for a while.`;
    default:
      return "The fault was on our side, and your request was fine. Please send it again.";
  }
}

function keyReason({ line, now, token, removedAt }: ExplainedRequest): string {
  if (token.kind === "known") {
    const { revokedAt } = token.token;
    // P91: nothing is promised.
    if (removedAt !== null) return "It used an access key that is no longer valid.";
    if (revokedAt === null && hadExpired(token.token, line.time)) {
      return "It used an access key that has expired. We will give you a new one.";
    }
    if (revokedAt === null) {
      return "The access key is in force; we did not know it in time. Please send the request again.";
    }
    return usableSuccessor(token.successors, now) !== undefined
      ? "It used an access key that has been replaced. Please use the new one."
      : "It used an access key that is no longer valid.";
  }
  return line.causeCode === "malformed_token"
    ? "The access key was incomplete or altered. Please copy it again, whole, after the word Bearer and a space."
    : "It came without an access key that we know. Please check the header Authorization: the word Bearer, a space, and the key.";
}
