import { Failure } from "../../core/ground/failure.ts";

/**
 * Turns an error of the file system into a `Failure` about the place that the user chose to write to. `what`
 * begins its sentence ("The folder /srv/out"), `advice` ends it. Anything else is returned unchanged.
 */
export function placeFailure(error: unknown, what: string, advice: string): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !("syscall" in error) || !("code" in error)) {
    return error;
  }
  const reason = reasons[String(error.code)] ?? `the system says ${String(error.code)}`;
  return new Failure("usage", `${what} can't be written: ${reason}. ${advice}`, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "a folder on the way is missing",
  ENOTDIR: "a part of its path is no folder",
  EISDIR: "it is a folder",
  EEXIST: "something is there already",
  ENOTEMPTY: "it is not empty",
  ELOOP: "symbolic links on the way go in circles",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is used up",
};
