/** W73: the one stylesheet of the folder's pages: paper and ink by day, slate by night, down to 360 pixels. It loads nothing. */
export const siteStylesheet = `
:root {
  color-scheme: light dark;
  --paper: #fff; --side: #f7f7f5; --ink: #1f2328; --soft: #59616b; --line: #dfe2e5; --code: #f5f6f4; --key: #7a3e00;
  --accent: #0b5c6e; --accent-tint: #e4f1f3; --warn: #8a4b00; --warn-tint: #fbf1df;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --side: #1a1e22; --ink: #e4e6e8; --soft: #a3abb3; --line: #30363c; --code: #1d2226; --key: #e9b872;
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
.top { border-bottom: 1px solid var(--line); background: var(--side); padding: 0.9rem clamp(1rem, 4vw, 2.5rem) 0; }
.brand { margin: 0; font-size: 1.05rem; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
.brand span { font-weight: 400; color: var(--soft); }
.pages ul { display: flex; flex-wrap: wrap; gap: 0 1.4rem; margin: 0.35rem 0 0; padding: 0; list-style: none; }
.pages li { margin: 0; }
.pages a { display: block; padding: 0.4rem 0; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; }
.pages a:hover { color: var(--ink); }
.pages a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 50rem); gap: 3.5rem; padding: 0 clamp(1rem, 4vw, 2.5rem); }
.contents { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.9rem 0 2rem; font-size: 0.875rem; }
.contents p { margin: 0 0 0.4rem; font-weight: 600; }
.contents ul { margin: 0; padding: 0; list-style: none; }
.contents li { margin: 0; }
.contents a { display: block; padding: 0.16rem 0; color: var(--soft); text-decoration: none; line-height: 1.35; }
.contents a:hover { color: var(--ink); text-decoration: underline; }
.contents .level-3 a { padding-inline-start: 0.9rem; }
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
.command { user-select: all; -webkit-user-select: all; }
table { width: 100%; border-collapse: collapse; margin: 0.9rem 0 1.5rem; font-size: 0.925rem; }
th, td { padding: 0.5rem 1rem 0.5rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { font-size: 0.8rem; font-weight: 600; color: var(--soft); white-space: nowrap; }
tbody th { font-weight: 400; }
@media (min-width: 40.01rem) { tbody th { min-width: 10rem; } }
tbody tr:target, .target:target { background: var(--accent-tint); }
.facts th { width: 11rem; color: var(--soft); }
td small, .meta { display: block; color: var(--soft); font-size: 0.86em; }
.method { display: inline-block; padding: 0.05rem 0.45rem; border-radius: 5px; background: var(--accent-tint); color: var(--accent); font: 600 0.8em/1.6 var(--mono); }
.tag { display: inline-block; padding: 0.05rem 0.5rem; border-radius: 999px; background: var(--warn-tint); color: var(--warn); font-size: 0.8rem; font-weight: 600; }
.status { font: 600 0.95em/1.6 var(--mono); }
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
@media (max-width: 62rem) {
  .columns { display: block; }
  .contents { position: static; max-height: none; padding: 1.2rem 0 0; }
  .contents ul { columns: 2 10rem; column-gap: 1.5rem; }
  .contents .level-3 { display: none; }
  main { max-width: 50rem; }
}
@media (max-width: 40rem) {
  .pages ul { gap: 0 1rem; font-size: 0.93rem; }
  table, tbody, tr, td, tbody th { display: block; width: auto; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  th, td { padding: 0.1rem 0; border: 0; }
  tbody th { font-weight: 600; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  .facts th { width: auto; }
  pre { padding: 0.8rem; }
}
@media print {
  .top nav, .contents, .skip, .anchor { display: none; }
  .columns { display: block; }
  pre { max-height: none; white-space: pre-wrap; }
  .panel { display: block; }
}
`;
