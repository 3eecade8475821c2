import type { IncomingMessage } from "node:http";

/** What is to be done with a request before anything is looked at for it. */
export type Access =
  | {
      readonly kind: "granted";
      /** As the access log names them; `null` for whoever has the key. */
      readonly user: string | null;
      /** By which the browser is known from now on. */
      readonly cookie?: string;
    }
  /** The key came in the address: from now on it comes in a cookie, and the address bar forgets it. */
  | { readonly kind: "welcome"; readonly location: string; readonly cookie: string }
  | Refusal;

export interface Refusal {
  readonly kind: "refused";
  readonly status: 401 | 403 | 421 | 429 | 500;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log alone: what keeps everybody out. */
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
