/** A whole number with a comma between thousands: `1,200`. `toLocaleString` would load what it knows of all languages first. */
export function numberText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number and its noun: `1 request`, `1,200 requests`. */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}
