/** Sets a header of a request that the SDK has built and not yet signed; for what its commands have no field for. */
export function setRequestHeader(request: unknown, name: string, value: string): void {
  if (!hasHeaders(request)) throw new TypeError("the SDK's request has no headers");
  request.headers[name] = value;
}

/** The text of a request's body, as for a command with an XML body. */
export function requestBodyText(request: unknown): string {
  const body =
    typeof request === "object" && request !== null && "body" in request ? request.body : undefined;
  if (typeof body !== "string") throw new TypeError("the SDK's request has no text body");
  return body;
}

function hasHeaders(request: unknown): request is { readonly headers: Record<string, string> } {
  return typeof request === "object" && request !== null && "headers" in request;
}
