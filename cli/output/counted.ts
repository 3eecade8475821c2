/** A whole number with a comma between thousands: `1,200`. `toLocaleString` would load what it knows of all languages first. */
export function numberText(count: number): string {
  const groups: string[] = [];
  let rest = String(count);
  for (; rest.length > 3; rest = rest.slice(0, -3)) groups.unshift(rest.slice(-3));
  return [rest, ...groups].join(",");
}

/** A number and its noun: `1 request`, `1,200 requests`. */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}
