import { pageNames, type SitePage } from "./site-page.ts";

/** A script that gives the search its places. A page on a disk may load a script, but no JSON. */
export function searchIndex(pages: readonly SitePage[]): string {
  // The rows of the page of fields are those of the reference.
  const places = pages.filter(({ name }) => name !== "fields").flatMap(placesOf);
  // A field of the list and an error of one resource are told in the same words of another one: the first place is enough.
  const distinct = new Map<string, readonly string[]>();
  for (const { href, title, page, text } of places) {
    const words = JSON.stringify([page, title, text]);
    if (!distinct.has(words)) distinct.set(words, [href, title, page, text]);
  }
  return `window.searchPlaces = ${JSON.stringify([...distinct.values()])};\n`;
}

/** A place that the search finds: a section of a page, or a field of the reference. */
interface Place {
  /** The page and the anchor: `guide.html#rate-limits`. */
  readonly href: string;
  readonly page: string;
  title: string;
  text: string;
}

/** The places of a page: a heading or a field begins one, which goes on until the next one. */
function placesOf({ name, body }: SitePage): readonly Place[] {
  const places: Place[] = [];
  let place: Place | undefined;
  /** The end of the title that is being read. */
  let titleEnd = "";
  let at = 0;
  while (at < body.length) {
    const open = body.indexOf("<", at);
    const text = body.slice(at, open < 0 ? body.length : open);
    if (place !== undefined) place[titleEnd === "" ? "text" : "title"] += text;
    if (open < 0) break;
    const tag = body.slice(open, body.indexOf(">", open) + 1);
    at = open + tag.length;
    const end = passedOver.find(([start]) => tag.startsWith(start))?.[1];
    if (end !== undefined) {
      at = body.indexOf(end, at) + end.length;
      continue;
    }
    const id = attribute(tag, "id");
    const isHeading = /^<h[123]/.test(tag);
    if (isHeading || (tag.startsWith("<li") && id !== "")) {
      place = {
        href: `${name}.html${id === "" ? "" : `#${id}`}`,
        page: pageNames[name],
        title: "",
        text: "",
      };
      places.push(place);
      titleEnd = isHeading ? `</${tag.slice(1, 3)}>` : "</code>";
    } else if (tag === titleEnd) titleEnd = "";
    else if (place !== undefined && blockEnds.includes(tag)) place.text += " · ";
    else if (place !== undefined && !/^<\/?(?:code|a|b|strong|em|bdi)\b/.test(tag)) {
      place[titleEnd === "" ? "text" : "title"] += " ";
    }
  }
  return places.map(({ href, page, title, text }) => ({
    ...{ href, page, text: plain(text) },
    title: fieldName(href.split("#")[1] ?? "", plain(title)),
  }));
}

/** What nobody searches for, by its first tag and its last: code, counts of fields, and headers that have places of their own. */
const passedOver: readonly (readonly [start: string, end: string])[] = [
  ["<pre", "</pre>"],
  ['<fieldset class="tabs"', "</fieldset>"],
  ['<summary class="more"', "</summary>"],
  ['<ul class="fields told-below"', "</ul>"],
  ['<a class="anchor"', "</a>"],
];

const blockEnds: readonly string[] = ["</p>", "</td>", "</th>", "</li>"];

/** `prices.rooms.amount` of the anchor `listPrograms-data-prices-rooms-amount`; else the place's own name. */
function fieldName(anchor: string, name: string): string {
  const way = anchor.split("-").slice(1);
  return way.at(-1) === name && way.length > 1 ? way.filter((step) => step !== "data").join(".") : name;
}

function attribute(tag: string, name: string): string {
  return tag.split(` ${name}="`)[1]?.split('"')[0] ?? "";
}

/** Text with its entities read, each run of white space one blank, and no dot at its ends or twice. */
function plain(text: string): string {
  const words = text
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&gt;/g, ">")
    .replace(/&lt;/g, "<")
    .replace(/&amp;/g, "&")
    .split(/\s+/);
  const kept = words.filter((word, at) => word !== "" && !(word === "·" && words[at - 1] === "·"));
  if (kept[0] === "·") kept.shift();
  if (kept.at(-1) === "·") kept.pop();
  return kept.join(" ");
}
