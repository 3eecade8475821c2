/** A word as a POSIX shell takes it for one: quoted where it needs to be. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9._~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
