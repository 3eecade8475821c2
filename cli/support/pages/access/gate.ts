import type { IncomingMessage } from "node:http";

/** The decision about a request, made before any page is read for it. */
export type Access =
  | {
      readonly kind: "granted";
      /** The person's name for the access log; `null` for a person with the key of the run. */
      readonly user: string | null;
      /** The `Set-Cookie` value that identifies the browser from now on. */
      readonly cookie?: string;
    }
  /** The key came in the address. A redirect removes it from the address bar, and a cookie brings it from now on. */
  | { readonly kind: "welcome"; readonly location: string; readonly cookie: string }
  | Refusal;

export interface Refusal {
  readonly kind: "refused";
  readonly status: 401 | 403 | 421 | 429 | 500;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The fault that keeps everybody out, for the log alone. */
  readonly cause?: string;
}

export type Gate = (req: IncomingMessage, url: URL | undefined) => Access | Promise<Access>;

export function refused(
  status: Refusal["status"],
  message: string,
  headers?: Readonly<Record<string, string>>,
): Refusal {
  return { kind: "refused", status, message: `${message}\n`, ...(headers === undefined ? {} : { headers }) };
}
