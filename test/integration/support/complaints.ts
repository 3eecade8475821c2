import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const tenant = "alpine-walks";

/**
 * A small company: its booking data, its store, its gateway, and the command line of whoever does its
 * support.
 */
export interface Company {
  /** The store's folder. */
  readonly storeDirectory: string;
  /** Sets the clock of the command line, RFC 3339. */
  at(time: string): void;
  query(sql: string): Promise<void>;
  /**
   * Runs a command, which ends with 0 unless `status` says otherwise. Returns what it printed on standard
   * output.
   */
  command(args: readonly string[], status?: number): Promise<string>;
  /** Asks the gateway as a partner would. Throws unless the answer has the status. */
  request(requestId: string, path: string, token: string, status: number): Promise<void>;
}

/** What has happened before a partner complains. It happens in the order of the fields. */
export interface Cause {
  /** SQL that changes the booking database. */
  readonly change?: string;
  /** A build, which ends with 0 unless `status` says otherwise. */
  readonly build?: { readonly at: string; readonly options?: readonly string[]; readonly status?: number };
  /** What else causes the complaint. `token` is that of the request. */
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
}

/** The causes by the titles of their sections in docs/support.md. */
export const causes: Readonly<Record<string, Cause>> = {
  "The partner gets 401": {
    async plant(company) {
      company.at("2027-03-04T16:20:00Z");
      const [token] = JSON.parse(await company.command(["token", "list", "--json"]));
      await company.command(["token", "rotate", token.tokenId]);
    },
    at: "2027-03-05T09:12:31Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs", status: 401 },
  },
  "The partner gets 403": {
    at: "2027-03-05T09:20:00Z",
    request: {
      token: ["Gipfel Magazin", "--allow-unknown-scope", "--scope", "programs.list"],
      path: "/v1/programs",
      status: 403,
    },
  },
  "The partner gets 404 for a program": {
    change:
      "UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE program_id = 'ENGADIN-27'",
    build: { at: "2027-03-04T23:00:00Z" },
    at: "2027-03-05T09:31:02Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs/ENGADIN-27", status: 404 },
  },
  "The partner gets 404 for a program that we see in the booking system": { at: "2027-03-05T09:40:00Z" },
  "The partner gets 429": {
    async plant({ request }, token) {
      for (const id of ["EIGER-27", "ENGADIN-27", "MATTERHORN-27"]) {
        await request(`blog-${id}`, `/v1/programs/${id}`, token, 200);
      }
    },
    at: "2027-03-05T10:02:17Z",
    request: { token: ["Alpen-Blog", "--rate-limit", "3"], path: "/v1/programs", status: 429 },
  },
  "The partner sees old data": {
    change: "UPDATE partner_source.programs SET name = '' WHERE program_id = 'MATTERHORN-27'",
    build: { at: "2027-03-05T10:00:00Z", options: ["--on-invalid", "fail"], status: 1 },
    at: "2027-03-05T10:25:00Z",
  },
  "The partner gets an empty list": {
    change: "DELETE FROM partner_source.programs",
    build: { at: "2027-03-05T07:30:00Z", options: ["--allow-shrink"] },
    at: "2027-03-05T10:40:00Z",
  },
  "The partner shows a wrong price": {
    change:
      "UPDATE partner_source.room_prices SET amount = 1690 WHERE program_id = 'EIGER-27' AND occupancy = 2",
    at: "2027-03-05T11:05:00Z",
  },
  "The partner misses a photo": {
    change:
      "UPDATE partner_source.programs SET cover_url = 'http://images.example.com/eiger.jpg' WHERE program_id = 'EIGER-27'",
    build: { at: "2027-03-05T08:00:00Z" },
    at: "2027-03-05T11:20:00Z",
  },
  "The partner gets 500": {
    async plant({ storeDirectory }) {
      const listing = JSON.parse(
        await readFile(join(storeDirectory, "tenants", tenant, "current.json"), "utf8"),
      );
      const folder = join(storeDirectory, "tenants", tenant, "snapshots", listing.snapshotId);
      const file = join(folder, "v1", "programs.json");
      await writeFile(file, (await readFile(file, "utf8")).replace("Eiger Trail", "Eiger Track"));
    },
    at: "2027-03-05T11:41:09Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs", status: 500 },
  },
  "The partner's access key expired": {
    at: "2027-03-05T09:14:00Z",
    request: {
      token: ["Talwind Reisen", "--expires", "2026-01-31T00:00:00Z"],
      // The gateway has a clock of its own.
      issuedAt: "2025-12-01T08:00:00Z",
      path: "/v1/programs",
      status: 401,
    },
  },
  "The partner's access key was cut": {
    at: "2027-03-05T09:16:00Z",
    request: {
      token: ["Gratweg AG"],
      sent: (token) => token.slice(0, -5),
      path: "/v1/programs",
      status: 401,
    },
  },
  "The partner writes the id in another case": {
    at: "2027-03-05T09:33:00Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs/eiger-27", status: 404 },
  },
  "The partner asks for another company's program": {
    change: `INSERT INTO partner_source.tenants VALUES ('lake-walks', 'Lake Walks');
        INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state)
        VALUES ('lake-walks', 'COMO-27', 'Around Lake Como', 'active')`,
    at: "2027-03-05T09:35:00Z",
  },
  "The partner does not see a new program, and the tenant is held": {
    change: "UPDATE partner_source.room_prices SET amount = 17.9 WHERE occupancy = 2",
    build: { at: "2027-03-05T06:00:00Z" },
    async plant({ at, command, query }) {
      at("2027-03-05T07:10:00Z");
      await command(["snapshot", "rollback", "--tenant", tenant]);
      await query(
        "UPDATE partner_source.programs SET lifecycle_state = 'active' WHERE program_id = 'TICINO-27'",
      );
    },
    at: "2027-03-05T10:15:00Z",
  },
  "Nothing new has come for days": {
    change: "UPDATE partner_source.programs SET name = 'Eiger Trail, new' WHERE program_id = 'EIGER-27'",
    at: "2027-03-05T11:00:00Z",
  },
  "A build was refused": {
    change: "DELETE FROM partner_source.programs WHERE lifecycle_state = 'active'",
    build: { at: "2027-03-05T10:00:00Z", status: 4 },
    at: "2027-03-05T10:20:00Z",
  },
  "The partner sees 0 places": {
    change: "UPDATE partner_source.programs SET capacity_total = NULL WHERE program_id = 'EIGER-27'",
    build: { at: "2027-03-05T08:00:00Z" },
    at: "2027-03-05T11:25:00Z",
  },
  "The partner asks for page 2 and gets page 1 again": {
    at: "2027-03-05T11:30:00Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs?page=2", status: 200 },
  },
  "The partner asks the old address for one program": {
    at: "2027-03-05T11:33:00Z",
    request: { token: ["Bergreisen GmbH"], path: "/api/v1/partner/programs/EIGER-27", status: 404 },
  },
  "The partner does not see a program that was entered today": {
    build: { at: "2027-03-05T07:00:00Z" },
    async plant({ query }) {
      await query(`INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, departure_date, capacity_total)
        VALUES ('${tenant}', 'BERNINA-27', 'Bernina by train', 'active', '2027-07-03', 12)`);
    },
    at: "2027-03-05T07:20:00Z",
  },
  "One program is missing, all others are there": {
    change: "UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'MATTERHORN-27'",
    build: { at: "2027-03-05T06:30:00Z", status: 3 },
    at: "2027-03-05T08:15:00Z",
  },
  "The partner sees the programs in another order than we do": { at: "2027-03-05T08:20:00Z" },
  "The partner sees garbled letters": {
    change: "UPDATE partner_source.programs SET departure_point = 'ZÃ¼rich HB' WHERE program_id = 'EIGER-27'",
    build: { at: "2027-03-05T08:30:00Z" },
    at: "2027-03-05T08:40:00Z",
  },
  "What was the price on Tuesday?": {
    change:
      "UPDATE partner_source.room_prices SET amount = 1590 WHERE program_id = 'EIGER-27' AND occupancy = 2",
    build: { at: "2027-03-03T06:00:00Z" },
    at: "2027-03-05T11:50:00Z",
  },
};

/** The company's booking data, in the contract's views as tables. */
export const companyRows = `
  SET search_path TO partner_source;
  INSERT INTO tenants VALUES ('${tenant}', 'Alpine Walks');
  INSERT INTO programs (tenant_id, program_id, name, lifecycle_state, departure_date, return_date, capacity_total, currency,
                        cover_url)
  VALUES ('${tenant}', 'EIGER-27', 'Eiger Trail', 'active', '2027-06-05', '2027-06-11', 14, 'CHF',
          'https://images.example.com/eiger.jpg'),
         ('${tenant}', 'ENGADIN-27', 'Engadin Lakes', 'active', '2027-07-03', '2027-07-10', 18, 'CHF', NULL),
         ('${tenant}', 'MATTERHORN-27', 'Matterhorn Week', 'active', '2027-08-14', '2027-08-21', 12, 'CHF', NULL),
         ('${tenant}', 'TICINO-27', 'Ticino in Autumn', 'draft', '2027-10-02', '2027-10-07', 16, 'CHF', NULL);
  INSERT INTO room_prices VALUES ('${tenant}', 'EIGER-27', 1, 2190), ('${tenant}', 'EIGER-27', 2, 1790),
                                 ('${tenant}', 'ENGADIN-27', 2, 1450), ('${tenant}', 'MATTERHORN-27', 2, 2380);`;
