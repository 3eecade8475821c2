import { pageNames, type SitePage } from "./site-page.ts";

/** A script with the places that the search can find. It is a script because a page on a disk may not load JSON. */
export function searchIndex(pages: readonly SitePage[]): string {
  // The page of fields is left out, since the reference describes the same fields.
  const places = pages.filter(({ name }) => name !== "fields").flatMap(placesOf);
  // The list and the detail describe shared fields and errors in the same words. The first of such places is enough.
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

/** The places of a page. A heading or a field begins a place, which extends to the next one. */
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
    const end = unsearched.find(([start]) => tag.startsWith(start))?.[1];
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

/**
 * The parts of a page that are not searched, by their first and last tag: code, counts of fields, and headers that have places of
 * their own.
 */
const unsearched: readonly (readonly [start: string, end: string])[] = [
  ["<pre", "</pre>"],
  ['<fieldset class="tabs"', "</fieldset>"],
  ['<summary class="more"', "</summary>"],
  ['<ul class="fields told-below"', "</ul>"],
  ['<a class="anchor"', "</a>"],
];

const blockEnds: readonly string[] = ["</p>", "</td>", "</th>", "</li>"];

/**
 * The field's path for the anchor of a field: `prices.rooms.amount` for `listPrograms-data-prices-rooms-amount`. Otherwise
 * `name`.
 */
function fieldName(anchor: string, name: string): string {
  const steps = anchor.split("-").slice(1);
  return steps.at(-1) === name && steps.length > 1 ? steps.filter((step) => step !== "data").join(".") : name;
}

function attribute(tag: string, name: string): string {
  return tag.split(` ${name}="`)[1]?.split('"')[0] ?? "";
}

/**
 * The text with entities decoded and each run of white space made one space. Dots between blocks (`·`) are dropped at both ends,
 * and where two follow each other.
 */
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
