import type { RequestFacts } from "../facts/requests.ts";
import { hadExpired, usableSuccessor } from "./key.ts";
import { inWindow } from "./request.ts";

/**
 * A message that can be sent to the partner unchanged. It has no detail of how the service is built and nobody else's data. Times
 * are in UTC.
 */
export function partnerMessage(request: RequestFacts, now: Date): string {
  const { line } = request;
  const minute = `${line.time.slice(0, 10)} ${line.time.slice(11, 16)} UTC`;
  const what = line.programId === null ? "" : ` for program ${line.programId}`;
  return `Your request ${line.requestId} of ${minute}${what} was answered with ${line.status}. ${reason(request, now)}`;
}

function reason(request: RequestFacts, now: Date): string {
  const { line, snapshot } = request;
  if (line.isCut) return "The connection ended before you had the whole answer. Please send it again.";
  switch (line.status) {
    case 200:
      return snapshot?.kind === "kept" && snapshot.replaced !== null
        ? "It was delivered whole, but was not the newest. Please send it again."
        : "It was delivered whole.";
    case 400:
      if (line.route === "detail") {
        return "The program id in the address is not well formed. Please take ids from the list, character by character.";
      }
      return line.cause === "HPE_HEADER_OVERFLOW"
        ? "Its headers were larger than 16 KiB. Please send fewer or shorter ones."
        : "It was no well-formed HTTP request. Please check your HTTP client and the proxies in between.";
    case 401:
      return keyReason(request, now);
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
      return `You made more requests than ${line.limit === null ? "agreed" : `the ${line.limit} allowed ${inWindow(line)}`}. Please wait for as many seconds as Retry-After says, and keep answers for a while.`;
    default:
      return "The fault was on our side, and your request was fine. Please send it again.";
  }
}

function keyReason(request: RequestFacts, now: Date): string {
  const { line, token, tenant } = request;
  const ours =
    "The fault was on our side: we did not know the access key in time. Please send the request again.";
  if (token.kind === "known") {
    const { revokedAt } = token.token;
    // P91: the partner of a removed tenant is not promised a new key.
    if (tenant?.removal != null) return "It used an access key that is no longer valid.";
    const isExpired = revokedAt === null && hadExpired(token.token, line.time);
    if (usableSuccessor(token, now) !== undefined) {
      return "It used an access key that has been replaced. Please use the new one.";
    }
    if (isExpired) return "It used an access key that has expired.";
    return revokedAt === null ? ours : "It used an access key that is no longer valid.";
  }
  if (line.causeCode === "unknown_token" && request.keys !== "some") return ours;
  return line.causeCode === "malformed_token"
    ? "The access key was incomplete or altered. Please copy it again, whole, after the word Bearer and a space."
    : "It came without an access key that we know. Please check the header Authorization: the word Bearer, a space, and the key.";
}
