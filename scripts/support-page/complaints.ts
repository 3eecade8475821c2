import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Company, tenant } from "./company.ts";
import { type Complaint, expectStatus } from "./complaint.ts";

export const complaints: readonly Complaint[] = [
  {
    title: "The partner gets 401",
    story: "An operator rotated the token yesterday, and the partner's server still has the old one.",
    async plant(company) {
      const { terminal, command } = company;
      terminal.at("2027-03-04T16:20:00Z");
      await command("token", "rotate", await tokenId(company));
    },
    at: "2027-03-05T09:12:31Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs", status: 401 },
    command: "request explain bergreisen-4711 --log gateway.log",
    meaning:
      "It also tells a missing header, half a token, a token of another installation, one that was revoked and one that expired.",
  },
  {
    title: "The partner gets 403",
    story: "The token was created with a scope of somebody's own.",
    at: "2027-03-05T09:20:00Z",
    request: {
      token: ["Gipfel Magazin", "--allow-unknown-scope", "--scope", "programs.list"],
      path: "/v1/programs",
      status: 403,
    },
    command: "request explain gipfel-1 --log gateway.log",
    meaning: "403 has no other cause: everything else that is wrong with a token is a 401.",
  },
  {
    title: "The partner gets 404 for a program",
    story: "The partner has a link to a program that was cancelled last night.",
    change:
      "UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE program_id = 'ENGADIN-27'",
    build: { at: "2027-03-04T23:00:00Z" },
    at: "2027-03-05T09:31:02Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs/ENGADIN-27", status: 404 },
    command: "request explain bergreisen-4807 --log gateway.log",
    meaning:
      "It also tells an id that no snapshot ever had (mistyped, or of another tenant) from a path that is none of the API's.",
  },
  {
    title: "The partner gets 404 for a program that we see in the booking system",
    story: "Nobody set the program to active.",
    at: "2027-03-05T09:40:00Z",
    command: `snapshot explain --tenant ${tenant} --program TICINO-27`,
    meaning:
      "The other answers it has: invalid, with the field and its value; waiting for the next build; held back; the last build failed; another spelling of the id; another tenant's.",
  },
  {
    title: "The partner gets 429",
    story:
      "The partner's job asks for every program each time a page is shown, with a token of 3 requests per window.",
    async plant({ request }, token) {
      for (const id of ["EIGER-27", "ENGADIN-27", "MATTERHORN-27"]) {
        await expectStatus(200, request(`blog-${id}`, `/v1/programs/${id}`, token));
      }
    },
    at: "2027-03-05T10:02:17Z",
    request: { token: ["Alpen-Blog", "--rate-limit", "3"], path: "/v1/programs", status: 429 },
    command: "request explain blog-900 --log gateway.log",
    meaning: "`token usage --log gateway.log` shows what the token asks for all day.",
  },
  {
    title: "The partner sees old data",
    story:
      "This company builds with `--on-invalid fail`, and somebody emptied a program's name three days ago: since then every build fails, as was asked for.",
    change: "UPDATE partner_source.programs SET name = '' WHERE program_id = 'MATTERHORN-27'",
    build: { at: "2027-03-05T10:00:00Z", options: ["--on-invalid", "fail"], status: 1 },
    at: "2027-03-05T10:25:00Z",
    command: `snapshot status --tenant ${tenant}`,
    meaning:
      "Without `--tenant` it is a table of all tenants, with the reasons below. `published` is when partners last saw something new, `confirmed` when the data was last found to be what the booking database says; so old it is at most. The response headers `Snapshot-Generated-At` and `Snapshot-Confirmed-At` tell the partner.",
  },
  {
    title: "The partner gets an empty list",
    story:
      "A migration of the booking database broke a view, and somebody overrode the guard with `--allow-shrink`.",
    change: "DELETE FROM partner_source.programs",
    build: { at: "2027-03-05T07:30:00Z", options: ["--allow-shrink"] },
    at: "2027-03-05T10:40:00Z",
    command: `snapshot diff --tenant ${tenant}`,
    meaning:
      "`snapshot rollback --tenant " +
      tenant +
      "` makes the snapshot before live again within a second and holds the tenant there, so that the next build does not undo it.",
  },
  {
    title: "The partner shows a wrong price",
    story: "The price was changed in the booking system after the last build.",
    change:
      "UPDATE partner_source.room_prices SET amount = 1690 WHERE program_id = 'EIGER-27' AND occupancy = 2",
    at: "2027-03-05T11:05:00Z",
    command: `snapshot explain --tenant ${tenant} --program EIGER-27`,
    meaning:
      "When it is up to date and still wrong, the booking system says so, too; `snapshot show --program EIGER-27` prints what partners get.",
  },
  {
    title: "The partner misses a photo",
    story: "The address of the picture begins with `http:`.",
    change:
      "UPDATE partner_source.programs SET cover_url = 'http://images.example.com/eiger.jpg' WHERE program_id = 'EIGER-27'",
    build: { at: "2027-03-05T08:00:00Z" },
    at: "2027-03-05T11:20:00Z",
    command: `snapshot explain --tenant ${tenant} --program EIGER-27`,
    meaning: "Every value that a rule drops or blanks is named in the same way, with the rule.",
  },
  {
    title: "The partner gets 500",
    story: "A restored backup left one object of the store with other bytes than the manifest vouches for.",
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
    command: "request explain bergreisen-5002 --log gateway.log",
    meaning:
      "Rather a 500 than wrong bytes: the gateway compares every body with its digest. It also tells a store that is away, and a tenant that was never built. `snapshot verify` finds every damaged file of a tenant.",
  },
  {
    title: "The partner's access key expired",
    story: "The access key was issued for a trial, long ago.",
    at: "2027-03-05T09:14:00Z",
    request: {
      token: ["Talwind Reisen", "--expires", "2026-01-31T00:00:00Z"],
      // The gateway has a clock of its own.
      issuedAt: "2025-12-01T08:00:00Z",
      path: "/v1/programs",
      status: 401,
    },
    command: "request explain talwind-7 --log gateway.log",
    meaning: "`token list` shows which access keys end when.",
  },
  {
    title: "The partner's access key was cut",
    story: "The partner copied the access key from an e-mail, and its last characters were lost.",
    at: "2027-03-05T09:16:00Z",
    request: {
      token: ["Gratweg AG"],
      sent: (token) => token.slice(0, -5),
      path: "/v1/programs",
      status: 401,
    },
    command: "request explain gratweg-1 --log gateway.log",
    meaning: "The access key itself is still good. Rotating it would stop it wherever it works.",
  },
  {
    title: "The partner writes the id in another case",
    story: "The partner's system turns all ids into small letters.",
    at: "2027-03-05T09:33:00Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs/eiger-27", status: 404 },
    command: "request explain bergreisen-4810 --log gateway.log",
    meaning: "Where the booking system cannot be asked, it still says which published id was probably meant.",
  },
  {
    title: "The partner asks for another company's program",
    story: "The program belongs to the sister company, which has a tenant and access keys of its own.",
    change: `INSERT INTO partner_source.tenants VALUES ('lake-walks', 'Lake Walks');
        INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state)
        VALUES ('lake-walks', 'COMO-27', 'Around Lake Como', 'active')`,
    at: "2027-03-05T09:35:00Z",
    command: `snapshot explain --tenant ${tenant} --program COMO-27`,
    meaning:
      "The partner gets the same 404 as for an id that never was, so that nobody can find out what others sell.",
  },
  {
    title: "The partner does not see a new program, and the tenant is held",
    story: "An operator went back to the version before this morning's, since its prices were wrong.",
    change: "UPDATE partner_source.room_prices SET amount = 17.9 WHERE occupancy = 2",
    build: { at: "2027-03-05T06:00:00Z" },
    async plant({ terminal, command, query }) {
      terminal.at("2027-03-05T07:10:00Z");
      await command("snapshot", "rollback", "--tenant", tenant);
      await query(
        "UPDATE partner_source.programs SET lifecycle_state = 'active' WHERE program_id = 'TICINO-27'",
      );
    },
    at: "2027-03-05T10:15:00Z",
    command: `snapshot explain --tenant ${tenant} --program TICINO-27`,
    meaning: "A hold keeps back everything but withdrawals, until operations end it.",
  },
  {
    title: "Nothing new has come for days",
    story: "The cron job that builds was lost when the server was moved.",
    change: "UPDATE partner_source.programs SET name = 'Eiger Trail, new' WHERE program_id = 'EIGER-27'",
    at: "2027-03-05T11:00:00Z",
    command: "snapshot status",
    meaning: "`snapshot explain` says the same of each program that waits for a build.",
  },
  {
    title: "A build was refused",
    story:
      "A view of the booking database lost most of its rows, so builds refuse to take the programs from partners.",
    change: "DELETE FROM partner_source.programs WHERE lifecycle_state = 'active'",
    build: { at: "2027-03-05T10:00:00Z", status: 4 },
    at: "2027-03-05T10:20:00Z",
    command: `snapshot explain --tenant ${tenant} --program EIGER-27`,
    meaning: "Partners go on seeing what they saw; nothing is lost while somebody looks.",
  },
  {
    title: "The partner sees 0 places",
    story: "Nobody entered how many people may go.",
    change: "UPDATE partner_source.programs SET capacity_total = NULL WHERE program_id = 'EIGER-27'",
    build: { at: "2027-03-05T08:00:00Z" },
    at: "2027-03-05T11:25:00Z",
    command: `snapshot explain --tenant ${tenant} --program EIGER-27`,
    meaning: "A program without free places stays in the list; partners see `remaining` 0.",
  },
  {
    title: "The partner asks for page 2 and gets page 1 again",
    story: "The partner's program asks for `?page=2` until a page is empty, which never happens.",
    at: "2027-03-05T11:30:00Z",
    request: { token: ["Bergreisen GmbH"], path: "/v1/programs?page=2", status: 200 },
    command: "request explain bergreisen-5001 --log gateway.log",
    meaning:
      "The list has no pages: one answer has all programs, and whatever stands behind a question mark is ignored. Tell the partner to ask once.",
  },
  {
    title: "The partner asks the old address for one program",
    story: "The partner put an id behind the deprecated address, which has no addresses with ids.",
    at: "2027-03-05T11:33:00Z",
    request: { token: ["Bergreisen GmbH"], path: "/api/v1/partner/programs/EIGER-27", status: 404 },
    command: "request explain bergreisen-5003 --log gateway.log",
    meaning: "`/v1/programs/{id}` has single programs, with the same access key.",
  },
  {
    title: "The partner does not see a program that was entered today",
    story: "The program was entered some minutes ago, and the next build has not come yet.",
    build: { at: "2027-03-05T07:00:00Z" },
    async plant({ query }) {
      await query(`INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, departure_date, capacity_total)
        VALUES ('${tenant}', 'BERNINA-27', 'Bernina by train', 'active', '2027-07-03', 12)`);
    },
    at: "2027-03-05T07:20:00Z",
    command: `snapshot explain --tenant ${tenant} --program BERNINA-27`,
    meaning: "Whoever cannot wait asks operations to build now; nothing else changes by that.",
  },
  {
    title: "One program is missing, all others are there",
    story:
      "Somebody emptied the program's name, so it cannot be published; every build leaves it out and says so.",
    change: "UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'MATTERHORN-27'",
    build: { at: "2027-03-05T06:30:00Z", status: 3 },
    at: "2027-03-05T08:15:00Z",
    command: `snapshot explain --tenant ${tenant} --program MATTERHORN-27`,
    meaning: "As soon as the booking system is right, the next build brings the program back by itself.",
  },
  {
    title: "The partner sees the programs in another order than we do",
    story: "The partner expects the order in which the programs were entered.",
    at: "2027-03-05T08:20:00Z",
    command: `snapshot show --tenant ${tenant} --list`,
    meaning:
      "The list is by departure today, the programs without one last, and among equals by id; but the API promises no order. A partner who wants one sorts what they got.",
  },
  {
    title: "The partner sees garbled letters",
    story:
      "An import read a file as Windows-1252 that was UTF-8, so the booking system itself has `ZÃ¼rich` instead of `Zürich`.",
    change: "UPDATE partner_source.programs SET departure_point = 'ZÃ¼rich HB' WHERE program_id = 'EIGER-27'",
    build: { at: "2027-03-05T08:30:00Z" },
    at: "2027-03-05T08:40:00Z",
    command: `snapshot explain --tenant ${tenant} --program EIGER-27`,
    meaning:
      "What partners see is what the booking system has, so the letters are corrected there. Where `snapshot show` has them right, the partner's program reads UTF-8 as something else: every answer says `charset=utf-8`.",
  },
  {
    title: "What was the price on Tuesday?",
    story: "The price changed on Wednesday morning, and a traveller was told another one the day before.",
    change:
      "UPDATE partner_source.room_prices SET amount = 1590 WHERE program_id = 'EIGER-27' AND occupancy = 2",
    build: { at: "2027-03-03T06:00:00Z" },
    at: "2027-03-05T11:50:00Z",
    command: `snapshot diff --tenant ${tenant}`,
    meaning:
      "`snapshot list` has the times of all versions that are kept, and `snapshot show --snapshot ID --program EIGER-27` one of them. The page of a program in the [pages](#the-pages) shows its versions, with the times in which partners saw them.",
  },
];

async function tokenId({ command }: Company): Promise<string> {
  const [token]: readonly { readonly tokenId: string }[] = JSON.parse(
    await command("token", "list", "--json"),
  );
  return token?.tokenId ?? "";
}
