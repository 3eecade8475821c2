import { Failure } from "../failure.ts";

export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** The result of the work; `undefined` when it fails with one of these operating-system errors. */
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

/** The failure for an error of the file system at an object or a prefix: what is wrong, where, and how to mend it. */
export function folderFailure(key: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  if (cause instanceof Error && cause.name === "AbortError") {
    return new Failure("interrupted", `Interrupted at ${key}.`, { cause });
  }
  if (isErrno(cause, "EROFS")) {
    const text = `The store's folder lies on a read-only file system, so ${key} can't be written; have it mounted for writing.`;
    return new Failure("store_denied", text, { cause });
  }
  if (isErrno(cause, "EACCES", "EPERM")) {
    const text = `No permission for ${key} in the store's folder; check its owner and mode.`;
    return new Failure("store_denied", text, { cause });
  }
  const full = isErrno(cause, "ENOSPC") ? "disk is full" : isErrno(cause, "EDQUOT") && "quota is used up";
  const text = full
    ? `The store's folder could not take ${key}, since the ${full}; make room there, and run this again.`
    : `The store's folder could not serve ${key}: ${cause instanceof Error && "code" in cause ? cause.code : cause}.`;
  return new Failure("store_unavailable", text, { cause });
}
