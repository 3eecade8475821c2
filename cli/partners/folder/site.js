// The script of the pages in the partner's folder: a search over all pages, one language for all samples, buttons to copy, and a
// mark at the section that is being read. Each page can be read without this script. It loads nothing but `search-index.js`
// beside it.

/** The language that the reader chose, kept from page to page. It is empty where the browser stores nothing. */
const remembered = {
  get language() {
    try {
      return localStorage.getItem("language") ?? "";
    } catch {
      return "";
    }
  },
  set language(value) {
    try {
      localStorage.setItem("language", value);
    } catch {
      // If the browser refuses to store it, each page begins with the first language.
    }
  },
};

showLanguage(remembered.language);
for (const input of document.querySelectorAll(".tabs input")) {
  input.addEventListener("change", () => {
    if (!isLanguage(input)) return;
    // The samples above may grow or shrink, so the page scrolls to keep the chosen input in place.
    const before = input.getBoundingClientRect().top;
    remembered.language = input.value;
    showLanguage(input.value);
    scrollBy(0, input.getBoundingClientRect().top - before);
  });
}

function isLanguage(input) {
  return input.closest(".tabs").firstElementChild.textContent === "Language";
}

function showLanguage(language) {
  for (const input of document.querySelectorAll(".tabs input"))
    if (input.value === language && isLanguage(input)) input.checked = true;
}

for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const pre = block.querySelector("pre");
    button.textContent = (await copied(pre)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  block.append(button);
}

/**
 * Copies the text to the clipboard. If the browser refuses, selects the text instead, so that Ctrl+C copies it, and returns
 * false.
 */
async function copied(pre) {
  try {
    await navigator.clipboard.writeText(`${pre.textContent.trimEnd()}\n`);
    return true;
  } catch {
    getSelection().selectAllChildren(pre);
    return false;
  }
}

// On a phone, nested lists are collapsed at first.
if (matchMedia("(max-width: 40rem)").matches)
  for (const part of document.querySelectorAll(".fields .fields details, .contents details"))
    part.open = false;
addEventListener("hashchange", unfoldTarget);
unfoldTarget();

/** Opens the target of a link and everything around it. */
function unfoldTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  const own = target.querySelector(":scope > details");
  if (own !== null) own.open = true;
  for (let part = target.closest("details"); part !== null; part = part.parentElement.closest("details"))
    part.open = true;
  target.scrollIntoView();
}

const links = new Map(
  [...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]),
);
const sections = [...links.keys()].map((id) => document.getElementById(id)).filter((part) => part !== null);
let current;
let isMarking = false;
function markCurrent() {
  isMarking = false;
  const isEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const above = sections.filter((part) => part.getBoundingClientRect().top < innerHeight / 4);
  const link = links.get((isEnd ? sections : above).at(-1)?.id);
  if (link === current) return;
  current?.removeAttribute("aria-current");
  link?.setAttribute("aria-current", "true");
  current = link;
  const list = document.querySelector(".contents");
  if (link === undefined || getComputedStyle(list).position !== "sticky") return;
  const { top, bottom } = link.getBoundingClientRect();
  const frame = list.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) list.scrollTop += top - frame.top - frame.height / 2;
}
addEventListener(
  "scroll",
  () => {
    if (isMarking) return;
    isMarking = true;
    requestAnimationFrame(markCurrent);
  },
  { passive: true },
);
markCurrent();

const search = document.querySelector(".search");
const input = search.querySelector("input");
const results = search.querySelector("ul");
const status = search.querySelector("[role=status]");
const maxResults = 12;
search.hidden = false;

/** The places that the search can find, once the script with them is loaded. */
let places;
function loadPlaces() {
  places ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = "search-index.js";
    script.onload = () => {
      resolve(window.searchPlaces.map(([href, title, page, text]) => ({ href, title, page, text })));
    };
    document.head.append(script);
  });
  return places;
}

input.addEventListener("focus", loadPlaces);
input.addEventListener("input", showResults);
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") results.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.select();
    input.focus();
  }
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const stops = [input, ...results.querySelectorAll("a")];
  stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
});
document.addEventListener("click", (event) => {
  if (!search.contains(event.target) || event.target.closest(".search a")) close();
});

function close() {
  results.replaceChildren();
  status.textContent = "";
  input.value = "";
}

async function showResults() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = await loadPlaces();
  const found = all
    .map((place) => ({ place, rank: rankOf(place, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank);
  results.replaceChildren(...found.slice(0, maxResults).map(({ place }) => resultOf(place, words)));
  status.textContent =
    words.length === 0
      ? ""
      : found.length === 0
        ? "Nothing found"
        : found.length === 1
          ? "1 place"
          : `${found.length} places`;
}

/**
 * The rank of a place; 0 when a word is missing. A word in the title counts more than one in the text, and the whole title counts
 * most.
 */
function rankOf({ title, text }, words) {
  const [head, body] = [title.toLowerCase(), text.toLowerCase()];
  if (words.length === 0 || !words.every((word) => head.includes(word) || body.includes(word))) return 0;
  const exact = head === words.join(" ") || head.split(/[. ]/).at(-1) === words.join(" ") ? 50 : 0;
  const scores = words.map((word) => (head.includes(word) ? 10 : 1) + (head.startsWith(word) ? 5 : 0));
  return (
    exact + scores.reduce((sum, score) => sum + score, 0) / words.length - Math.min(head.length, 90) / 100
  );
}

function resultOf({ href, title, page, text }, words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = href;
  const head = document.createElement("span");
  head.className = "found";
  const name = document.createElement("span");
  name.append(...marked(title, words));
  head.append(name, Object.assign(document.createElement("small"), { textContent: page }));
  const first = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0));
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(" ", Math.max(0, first - 40))) : 0;
  const piece = document.createElement("span");
  piece.append(from > 0 ? "… " : "", ...marked(text.slice(from, from + 130).trim(), words));
  link.append(head, piece);
  item.append(link);
  return item;
}

/** The text with each word in a `mark`. */
function marked(text, words) {
  const parts = [];
  const lower = text.toLowerCase();
  let from = 0;
  while (from < text.length) {
    const hits = words
      .map((word) => ({ word, at: lower.indexOf(word, from) }))
      .filter(({ at }) => at >= 0)
      .sort((one, other) => one.at - other.at);
    const [hit] = hits;
    if (hit === undefined) break;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(hit.at, hit.at + hit.word.length);
    parts.push(text.slice(from, hit.at), mark);
    from = hit.at + hit.word.length;
  }
  return [...parts, text.slice(from)];
}
