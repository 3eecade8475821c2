/** A line as the gateway's log has it. */
export function logLine(fields: Readonly<Record<string, unknown>> & { readonly requestId: string }): string {
  const line = {
    level: "info",
    time: "2026-11-21T10:00:00.000Z",
    program: "partner-programs-gateway",
    route: "list",
    method: "GET",
    status: 200,
    durationMs: 1.5,
    bytes: 100,
    ...fields,
    msg: "request",
  };
  return `${JSON.stringify(line)}\n`;
}

/** Lines of these ids, a second apart. */
export function logLines(
  requestIds: readonly string[],
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const begin = Date.parse("2026-11-21T10:00:00.000Z");
  return requestIds
    .map((requestId, at) =>
      logLine({ requestId, time: new Date(begin + at * 1000).toISOString(), ...fields }),
    )
    .join("");
}
