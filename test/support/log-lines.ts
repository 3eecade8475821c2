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
