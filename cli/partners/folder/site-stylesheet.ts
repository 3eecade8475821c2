/** W73: the one stylesheet of the folder's pages: paper and ink by day, slate by night, down to 360 pixels. It loads nothing. */
export const siteStylesheet = `
:root {
  color-scheme: light dark;
  --paper: #fff; --side: #f7f7f5; --ink: #1f2328; --soft: #59616b; --line: #dfe2e5; --edge: #8a929b; --code: #f5f6f4; --key: #7a3e00;
  --accent: #0b5c6e; --accent-tint: #e4f1f3; --warn: #8a4b00; --warn-tint: #fbf1df;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --side: #1a1e22; --ink: #e4e6e8; --soft: #a3abb3; --line: #30363c; --edge: #6d7680; --code: #1d2226; --key: #e9b872;
    --accent: #7fcbdb; --accent-tint: #17303a; --warn: #f0c27b; --warn-tint: #2f2615;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
main:focus { outline: none; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 0.9rem; background: var(--paper); border-radius: 6px; z-index: 2; }
.skip:focus { top: 0.6rem; }
.top { border-bottom: 1px solid var(--line); background: var(--side); padding: 0.7rem clamp(1rem, 4vw, 2.5rem) 0; }
.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.4rem 1.5rem; min-height: 2.4rem; }
.search { position: relative; flex: 0 1 20rem; }
.search[hidden] { display: none; }
.search input {
  width: 100%; padding: 0.35rem 0.8rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 8px;
  font: 0.93rem/1.5 var(--sans);
}
.search ul {
  position: absolute; inset-inline-end: 0; top: calc(100% + 0.3rem); z-index: 3; width: min(36rem, calc(100vw - 2rem)); max-height: 75vh; overflow-y: auto;
  margin: 0; padding: 0.3rem; list-style: none; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; box-shadow: 0 8px 30px #0003;
}
.search ul:empty { display: none; }
.search li { margin: 0; }
.search li a { display: block; padding: 0.45rem 0.7rem; border-radius: 7px; color: var(--soft); font-size: 0.86rem; line-height: 1.45; text-decoration: none; }
.search li a:hover, .search li a:focus { background: var(--accent-tint); color: var(--ink); outline: none; }
.search li a:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.found { display: flex; justify-content: space-between; gap: 1rem; color: var(--ink); font-weight: 600; font-size: 0.93rem; }
.found small { color: var(--soft); font-weight: 400; white-space: nowrap; }
mark { background: none; color: var(--accent); font-weight: 650; }
.brand { margin: 0; font-size: 1.05rem; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
.brand span { font-weight: 400; color: var(--soft); }
.pages ul { display: flex; flex-wrap: wrap; gap: 0 1.4rem; margin: 0.15rem 0 0; padding: 0; list-style: none; }
.pages li { margin: 0; }
.pages a { display: block; padding: 0.4rem 0; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; }
.pages a:hover { color: var(--ink); }
.pages a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 50rem); gap: 3.5rem; padding: 0 clamp(1rem, 4vw, 2.5rem); }
.columns.wide { grid-template-columns: 13rem minmax(0, 78rem); gap: 2.5rem; }
.wide > main > :not(.operation), .wide .operation > :not(.beside) { max-width: 50rem; }
.contents { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.9rem 0 2rem; font-size: 0.875rem; }
.contents details { margin: 0; }
.contents summary { margin: 0 0 0.4rem; padding: 0; color: inherit; font-weight: 600; pointer-events: none; list-style: none; }
.contents summary::-webkit-details-marker { display: none; }
.contents ul { margin: 0; padding: 0; list-style: none; }
.contents li { margin: 0; }
.contents a { display: block; padding: 0.16rem 0 0.16rem 0.7rem; border-inline-start: 2px solid var(--line); color: var(--soft); text-decoration: none; line-height: 1.35; overflow-wrap: anywhere; }
.contents a:hover { color: var(--ink); text-decoration: underline; }
.contents a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.contents .level-3 a { padding-inline-start: 1.5rem; }
main { padding-bottom: 4rem; min-width: 0; }
h1 { font-size: clamp(1.7rem, 5vw, 2.15rem); line-height: 1.2; margin: 1.6rem 0 0.8rem; letter-spacing: -0.015em; text-wrap: balance; }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 3rem 0 0.7rem; padding-top: 0.7rem; border-top: 1px solid var(--line); letter-spacing: -0.01em; }
h3 { font-size: 1.08rem; margin: 2rem 0 0.5rem; }
h4 { font-size: 0.95rem; margin: 1.4rem 0 0.4rem; }
h2 code, h3 code { font-weight: 600; }
p, ul, ol { margin: 0.7rem 0; }
ul, ol { padding-inline-start: 1.3rem; }
li { margin: 0.3rem 0; }
.lead { font-size: 1.1rem; color: var(--soft); max-width: 42rem; }
.anchor { color: var(--soft); font-weight: 400; text-decoration: none; opacity: 0; padding: 0 0.25rem; }
h2:hover .anchor, h3:hover .anchor, .anchor:focus { opacity: 1; }
code, pre { font-family: var(--mono); font-size: 0.86em; }
:not(pre) > code { background: var(--code); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere; }
pre {
  margin: 0.8rem 0 1.2rem; padding: 0.9rem 1.1rem; overflow: auto; max-height: 34rem; background: var(--code);
  border: 1px solid var(--line); border-radius: 8px; line-height: 1.55; tab-size: 2;
}
pre code { font-size: 1em; }
pre b { font-weight: 400; color: var(--key); }
.code { position: relative; }
.copy {
  position: absolute; inset-inline-end: 0.45rem; top: 0.45rem; padding: 0.15rem 0.6rem; color: var(--soft); background: var(--paper); border: 1px solid var(--edge);
  border-radius: 6px; font: 0.78rem/1.6 var(--sans); cursor: pointer;
}
.copy:hover, .copy:focus-visible { color: var(--ink); }
.code pre { padding-inline-end: 4.6rem; }
pre a { color: inherit; text-decoration: none; }
pre a:hover { text-decoration: underline; }
.beside { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.5rem; }
.aside { position: sticky; top: 1rem; align-self: start; padding-top: 0.6rem; }
.aside pre { max-height: calc(100vh - 6.5rem); margin-bottom: 0.6rem; font-size: 0.8rem; }
.aside .tabs { margin-top: 0; }
.aside .json pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.fields { list-style: none; margin: 0.6rem 0 1rem; padding: 0; }
.fields > li { margin: 0; padding: 0.55rem 0; border-top: 1px solid var(--line); }
.fields > li:target { background: var(--accent-tint); box-shadow: -0.6rem 0 var(--accent-tint), 0.4rem 0 var(--accent-tint); }
.fields p { margin: 0.15rem 0; }
.fields .field code { background: none; padding: 0; font-weight: 650; font-size: 0.92em; }
.fields .type, .fields .type code { color: var(--soft); font-size: 0.86rem; font-weight: 400; }
.fields .type { margin-inline-start: 0.4rem; }
.fields .type a { color: inherit; }
.fields small { color: var(--soft); }
.fields .fields { margin: 0.2rem 0 0.3rem; padding-inline-start: 0.9rem; border-inline-start: 2px solid var(--line); }
.fields .fields > li:first-child { border-top: 0; }
.fields details { margin: 0.2rem 0; }
table { width: 100%; border-collapse: collapse; margin: 0.9rem 0 1.5rem; font-size: 0.925rem; }
th, td { padding: 0.5rem 1rem 0.5rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { font-size: 0.8rem; font-weight: 600; color: var(--soft); white-space: nowrap; }
tbody th { font-weight: 400; }
th code, td code { overflow-wrap: break-word; }
tbody tr:target, .target:target { background: var(--accent-tint); }
.facts th { width: 11rem; color: var(--soft); }
.glossary { table-layout: fixed; }
.glossary th:nth-child(1) { width: 31%; }
.glossary th:nth-child(2) { width: 21%; }
td small { display: block; color: var(--soft); font-size: 0.86em; }
.method { display: inline-block; padding: 0.05rem 0.45rem; border-radius: 5px; background: var(--accent-tint); color: var(--accent); font: 600 0.8em/1.6 var(--mono); }
.tag { display: inline-block; padding: 0.05rem 0.5rem; border-radius: 999px; background: var(--warn-tint); color: var(--warn); font-size: 0.8rem; font-weight: 600; }
.status { font: 600 0.95em/1.6 var(--mono); }
.operation { margin-top: 3rem; }
.steps { counter-reset: step; list-style: none; padding: 0; }
.steps > li { counter-increment: step; position: relative; padding-inline-start: 2.6rem; margin: 1.6rem 0; }
.steps > li::before {
  content: counter(step); position: absolute; inset-inline-start: 0; top: 0.05rem; width: 1.7rem; height: 1.7rem; border-radius: 50%;
  background: var(--accent-tint); color: var(--accent); font-weight: 650; text-align: center; line-height: 1.7rem; font-size: 0.9rem;
}
.steps h2 { margin: 0 0 0.3rem; padding: 0; border: 0; font-size: 1.15rem; }
.tabs { min-width: 0; margin: 0.8rem 0 0; padding: 0; border: 0; }
.tabs legend, .hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.tabs input { position: absolute; opacity: 0; width: 1px; height: 1px; }
.tabs label { display: inline-block; padding: 0.3rem 0.85rem; color: var(--soft); font-size: 0.875rem; cursor: pointer; border-bottom: 3px solid transparent; }
.tabs label:hover { color: var(--ink); }
.tabs input:checked + label { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.tabs input:focus-visible + label { outline: 3px solid var(--accent); border-radius: 3px; }
.panel { display: none; }
.panel pre { margin-top: 0.3rem; }
.tabs input:nth-of-type(1):checked ~ .panel:nth-of-type(1), .tabs input:nth-of-type(2):checked ~ .panel:nth-of-type(2),
.tabs input:nth-of-type(3):checked ~ .panel:nth-of-type(3), .tabs input:nth-of-type(4):checked ~ .panel:nth-of-type(4),
.tabs input:nth-of-type(5):checked ~ .panel:nth-of-type(5) { display: block; }
details { margin: 0.6rem 0 1rem; }
summary { cursor: pointer; color: var(--accent); width: fit-content; padding: 0.15rem 0; }
.foot { margin-top: 2rem; padding: 1.2rem clamp(1rem, 4vw, 2.5rem) 2rem; border-top: 1px solid var(--line); background: var(--side); color: var(--soft); font-size: 0.9rem; }
.foot p { margin: 0.2rem 0; }
@media (max-width: 75rem) {
  .beside { display: block; }
  .aside { position: static; padding-top: 0; }
  .aside pre { max-height: 24rem; }
}
@media (max-width: 62rem) {
  .columns, .columns.wide { display: block; }
  .contents { position: static; max-height: none; padding: 1.2rem 0 0; }
  .contents summary { pointer-events: auto; list-style: revert; color: var(--accent); }
  .contents ul { columns: 2 10rem; column-gap: 1.5rem; }
  .contents .level-3 { display: none; }
  main { max-width: 50rem; }
}
@media (max-width: 40rem) {
  .search { flex: 1 1 100%; }
  .pages ul { gap: 0 1rem; font-size: 0.93rem; }
  table, tbody, tr, td, tbody th { display: block; width: auto; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  th, td { padding: 0.1rem 0; border: 0; }
  tbody th { font-weight: 600; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  .glossary tbody th, .glossary td:nth-child(2) { display: inline; }
  .glossary td:nth-child(2) { margin-inline-start: 0.5rem; color: var(--soft); font-size: 0.86rem; }
  .glossary td:nth-child(2) small { display: inline; margin-inline-start: 0.4rem; }
  .glossary td::before { content: none; }
  .facts th { width: auto; }
  pre { padding: 0.8rem; max-height: 20rem; }
}
@media print {
  .top nav, .search, .contents, .skip, .anchor, .copy { display: none; }
  .columns, .columns.wide, .beside { display: block; }
  pre { max-height: none; white-space: pre-wrap; }
  .panel { display: block; }
}
`;
