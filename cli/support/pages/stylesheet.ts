/** The one stylesheet of the pages: warm paper and ink, and the same by night. Nothing in it loads anything. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --paper: #faf8f3; --card: #fffefb; --ink: #24272c; --soft: #5c6169; --line: #e3ded2; --tint: #f2eee4;
  --accent: #0d5968; --accent-soft: #6d9ea7; --good: #2b6637; --doubt: #82540a; --bad: #9c2b31;
  --good-tint: #e8f1e6; --doubt-tint: #f7edd8; --bad-tint: #f8e6e3;
  --serif: Palatino, "Noto Serif", Georgia, serif; --sans: system-ui, sans-serif; --mono: ui-monospace, monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --card: #1d2024; --ink: #e7e4dd; --soft: #a5a9b0; --line: #33373d; --tint: #23272c;
    --accent: #86c8d6; --accent-soft: #4d7d87; --good: #93cf9e; --doubt: #e6bd6c; --bad: #f29a9b;
    --good-tint: #1d2b20; --doubt-tint: #2e2717; --bad-tint: #321e1f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; padding: 0 clamp(1rem, 4vw, 3rem) 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 var(--sans); font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
body > * { max-width: 64rem; margin-inline: auto; }
main:focus { outline: none; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
h1, h2, h3, .brand a { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(1.7rem, 5vw, 2.4rem); margin: 1.2rem 0 0.6rem; }
h2 { font-size: 1.35rem; margin: 2.8rem 0 0.8rem; }
h3 { font-size: 1.08rem; margin: 1.8rem 0 0.5rem; }
code, pre { font-family: var(--mono); font-size: 0.86em; }
pre {
  margin: 0.8rem 0 0; padding: 1rem; overflow: auto; max-height: 36rem; white-space: pre; overflow-wrap: normal;
  background: var(--tint); border: 1px solid var(--line); border-radius: 8px; line-height: 1.5;
}
summary { cursor: pointer; width: fit-content; color: var(--accent); }
ul, ol { padding-inline: 1.3rem; margin: 0.4rem 0; }
ol { padding-inline: 2rem; }
li { margin: 0.2rem 0; }
.plain, .trail ol { list-style: none; padding: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 0.9rem; background: var(--card); border-radius: 6px; }
.skip:focus { top: 0.6rem; z-index: 1; }
.top {
  display: flex; flex-wrap: wrap; gap: 0.2rem 1.5rem; justify-content: space-between; align-items: center;
  padding: 1.1rem 0 0.9rem; border-bottom: 1px solid var(--line);
}
.top p, .parts, .parts dd { margin: 0; }
.brand a { font-size: 1.1rem; color: inherit; text-decoration: none; }
.trail ol { display: flex; flex-wrap: wrap; margin: 1.1rem 0 0; font-size: 0.92rem; }
.trail li { margin: 0; color: var(--soft); }
.trail li + li::before { content: "/"; margin: 0 0.6rem; color: var(--line); }
.lead, .rule { color: var(--soft); max-width: 46rem; }
.lead { margin: 0.3rem 0 1.2rem; }
.prose { max-width: 40rem; white-space: pre-line; }
.whole, .exact, .id { white-space: nowrap; }
.exact { color: var(--soft); font-size: 0.82em; }
.id, .none, dt, th, label, .ends { color: var(--soft); }
dt, th, label, .ends, footer { font-size: 0.84rem; }
.badge {
  display: inline-block; padding: 0.05rem 0.55rem; border-radius: 999px; font-size: 0.82rem; font-weight: 600; white-space: nowrap;
  background: var(--tint); color: var(--soft);
}
.notice {
  margin: 1rem 0; padding: 0.8rem 1.1rem; border-inline-start: 4px solid var(--soft); border-radius: 6px; background: var(--tint);
}
.notice p { margin: 0.2rem 0; max-width: 50rem; }
.badge.good, .notice.good { background: var(--good-tint); border-color: var(--good); }
.badge.doubtful, .notice.doubtful { background: var(--doubt-tint); border-color: var(--doubt); }
.badge.bad, .notice.bad { background: var(--bad-tint); border-color: var(--bad); }
.badge.good, strong.good, ins { color: var(--good); }
.badge.doubtful, strong.doubtful { color: var(--doubt); }
.badge.bad, strong.bad, del { color: var(--bad); }
del, ins { text-decoration: none; }
.command {
  display: inline-block; padding: 0.25rem 0.6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card);
  user-select: all;
}
.facts > div { display: grid; grid-template-columns: 11rem 1fr; gap: 0.2rem 1rem; border-top: 1px solid var(--line); padding: 0.5rem 0; }
.facts dd { margin: 0.1rem 0 0; min-width: 0; }
table { width: 100%; border-collapse: collapse; margin: 0.6rem 0 1.2rem; background: var(--card); border-radius: 8px; }
th, td {
  padding: 0.6rem 0.8rem; text-align: start; vertical-align: top; overflow-wrap: break-word; border-bottom: 1px solid var(--line);
}
th { font-weight: 600; white-space: nowrap; }
td :is(a, bdi, code) { overflow-wrap: anywhere; }
td:first-child { min-width: 9rem; }
tbody tr:last-child td { border-bottom: 0; }
.row-link { font-weight: 600; text-decoration: none; }
td .exact, .line, .search label, .message label { display: block; }
.changes table { table-layout: fixed; }
.changes th:first-child { width: 28%; }
.strip { display: block; width: 100%; height: 1.8rem; margin-top: 0.8rem; border-radius: 6px; background: var(--tint); }
.there0 { fill: var(--accent); }
.there1 { fill: var(--accent-soft); }
.absent { fill: var(--line); }
.unknown { fill: var(--doubt); }
.ends { display: flex; justify-content: space-between; margin: 0.2rem 0 1rem; }
.versions li, .commands li { margin: 0.5rem 0; }
.parts div { display: flex; flex-wrap: wrap; gap: 0 0.6rem; }
.parts dt::after { content: ":"; }
.search, .message label { margin: 0.8rem 0 0.3rem; }
.find { flex: 1 1 16rem; }
.field, .find { display: flex; gap: 0.5rem; max-width: 32rem; }
input, textarea, button {
  font: inherit; color: inherit; min-height: 2.75rem; padding: 0.4rem 0.8rem; border: 1px solid var(--soft); border-radius: 8px;
  background: var(--card);
}
input { flex: 1; min-width: 0; width: 100%; }
textarea { display: block; width: 100%; max-width: 46rem; resize: vertical; }
button { font-weight: 600; background: var(--accent); border-color: var(--accent); color: var(--paper); cursor: pointer; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); }
/* A table that is too wide: each row is a card, and each cell a line that begins with its column's title. */
@media (max-width: 42rem) {
  .facts > div { grid-template-columns: 6rem 1fr; gap: 0 0.8rem; padding: 0.35rem 0; }
  table, :is(tbody, tr, td) { display: block; width: 100%; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table { background: none; }
  tbody tr { margin: 0 0 0.8rem; padding: 0.5rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
  td { display: grid; grid-template-columns: 6rem 1fr; gap: 0.8rem; padding: 0.2rem 0.9rem; border: 0; }
  td:first-child { display: block; min-width: 0; }
  td:not(:first-child)::before { content: attr(data-label); color: var(--soft); font-size: 0.86rem; }
  td > span { min-width: 0; }
}
@media print {
  body { background: none; padding: 0; }
  .search, .find, footer, .skip { display: none; }
}
`;
