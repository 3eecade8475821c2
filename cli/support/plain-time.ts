/** A moment as a sentence for people has it: `21 November 2026, 12:00 UTC`. What is no time stays as it is. */
export function plainTime(rfc3339: string): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  const day = `${at.getUTCDate()} ${months[at.getUTCMonth()] ?? ""} ${at.getUTCFullYear()}`;
  return `${day}, ${at.toISOString().slice(11, 16)} UTC`;
}

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
