/**
 * How long a test waits for what is bound to happen: only one that fails waits so long, on however busy a
 * machine.
 */
export const patience = { timeout: 60_000, interval: 25 };
