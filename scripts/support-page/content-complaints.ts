import { tenant } from "./company.ts";
import type { Complaint } from "./complaint.ts";

/** What partners say about programs that they see, or should. */
export const contentComplaints: readonly Complaint[] = [
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
