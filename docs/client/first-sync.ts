// One poll, and what it brought. Run it every two minutes; the token is in PARTNER_TOKEN.
import { createProgramsClient, stateFile } from "./programs-client.ts";

const client = createProgramsClient({
  baseUrl: "https://programs.example.com",
  token: process.env.PARTNER_TOKEN ?? "",
  state: stateFile("programs.json"),
});
const { programs, added, changed, removed, requests } = await client.sync();
console.log(`${programs.size} programs after ${requests} requests`);
console.log(`${added.length} new, ${changed.length} changed, ${removed.length} gone`);
for (const { name, departureDate, capacity } of programs.values()) {
  console.log(
    departureDate ?? "no date   ",
    name,
    `(${capacity.remaining} of ${capacity.total} places left)`,
  );
}
