import type { Company } from "./company.ts";

/** A complaint of partners, one cause of it, and the command that shows the cause. What causes it happens in the order of the fields. */
export interface Complaint {
  readonly title: string;
  /** What has happened, as the page tells it. */
  readonly story: string;
  /** SQL that changes the booking database. */
  readonly change?: string;
  /** A build, which ends with 0 unless `status` says otherwise. */
  readonly build?: { readonly at: string; readonly options?: readonly string[]; readonly status?: number };
  /** What else causes it. `token` is that of the request. */
  readonly plant?: (company: Company, token: string) => Promise<void>;
  /** When the partner asks, and support looks into it. */
  readonly at: string;
  readonly request?: {
    /** Name and options of the partner's token, which is issued before anything else happens. */
    readonly token: readonly [name: string, ...options: readonly string[]];
    readonly issuedAt?: string;
    /** What the partner sends instead of the whole token. */
    readonly sent?: (token: string) => string;
    readonly path: string;
    readonly status: number;
  };
  /** The command line without the program's name. `gateway.log` is the log of the company's gateway. */
  readonly command: string;
  readonly meaning: string;
}

/** Causes the complaint, and sets the clock to the time at which support looks into it. */
export async function cause(
  { change, build, plant, at, request, command }: Complaint,
  company: Company,
): Promise<void> {
  const { terminal } = company;
  if (request?.issuedAt !== undefined) terminal.at(request.issuedAt);
  const token = request === undefined ? "" : await company.token(...request.token);
  if (change !== undefined) await company.query(change);
  if (build !== undefined) {
    const { options = [], status: expected = 0 } = build;
    terminal.at(build.at);
    const { status, shown } = await terminal.run(["snapshot", "build", ...options]);
    if (status !== expected) throw new Error(`the build ended with ${status}: ${shown}`);
  }
  await plant?.(company, token);
  terminal.at(at);
  if (request === undefined) return;
  const { path, status, sent = (whole) => whole } = request;
  const [, , requestId = ""] = command.split(" ");
  await expectStatus(status, company.request(requestId, path, sent(token)));
}

/** Throws when a scenario is not what it claims, so that it does not become documentation. */
export async function expectStatus(status: number, request: Promise<number>): Promise<void> {
  const answered = await request;
  if (answered !== status) throw new Error(`expected ${status}, the gateway answered ${answered}`);
}
