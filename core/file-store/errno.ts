/** Whether the error is one of the given operating-system errors. */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** What the work gives; `undefined` when it fails with one of these operating-system errors. */
export async function unlessErrno<Result>(
  work: Promise<Result>,
  ...codes: readonly string[]
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isErrno(error, ...codes)) return undefined;
    throw error;
  }
}
