import { Failure } from "../../core/ground/failure.ts";

/** The failure that the function throws. */
export function failureOf(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** The failure with which the promise rejects. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing was rejected");
}
