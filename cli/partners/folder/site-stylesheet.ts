/** W73: the one stylesheet of the folder's pages: paper by day, slate by night, down to 360 pixels. It loads nothing. */
export const siteStylesheet = `
:root {
  color-scheme: light dark;
  --paper: #fff; --side: #f7f7f5; --ink: #1f2328; --soft: #59616b; --line: #dfe2e5; --code: #f5f6f4;
  --accent: #0b5c6e; --accent-tint: #e4f1f3; --warn: #8a4b00; --warn-tint: #fbf1df;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "Noto Sans Mono", "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --side: #1a1e22; --ink: #e4e6e8; --soft: #a3abb3; --line: #30363c; --code: #1d2226;
    --accent: #7fcbdb; --accent-tint: #17303a; --warn: #f0c27b; --warn-tint: #2f2615;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
main { max-width: 56rem; padding: 0 clamp(1rem, 4vw, 2.5rem) 4rem; }
main:focus { outline: none; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 0.9rem; background: var(--paper); z-index: 2; }
.skip:focus { top: 0.6rem; }
.top { border-bottom: 1px solid var(--line); background: var(--side); padding: 0.7rem clamp(1rem, 4vw, 2.5rem) 0; }
.brand { margin: 0; font-size: 1.05rem; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
.brand span { font-weight: 400; color: var(--soft); }
.pages ul { display: flex; flex-wrap: wrap; gap: 0 1.4rem; margin: 0.15rem 0 0; padding: 0; list-style: none; }
.pages li { margin: 0; }
.pages a { display: block; padding: 0.4rem 0; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; }
.pages a:hover { color: var(--ink); }
.pages a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.contents { padding: 0.6rem clamp(1rem, 4vw, 2.5rem) 0; font-size: 0.9rem; }
.contents ul { margin: 0; columns: 4 11rem; padding: 0; list-style: none; }
h1 { font-size: clamp(1.7rem, 5vw, 2.15rem); line-height: 1.2; margin: 1.6rem 0 0.8rem; }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 3rem 0 0.7rem; padding-top: 0.7rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 2rem 0 0.5rem; }
p, ul, ol { margin: 0.7rem 0; }
ul, ol { padding-inline-start: 1.3rem; }
li { margin: 0.3rem 0; }
.lead { font-size: 1.1rem; color: var(--soft); }
code, pre { font-family: var(--mono); font-size: 0.86em; }
:not(pre) > code { background: var(--code); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere; }
pre {
  margin: 0.8rem 0 1.2rem; padding: 0.9rem 1.1rem; overflow: auto; max-height: 34rem; background: var(--code);
  border: 1px solid var(--line); border-radius: 8px; line-height: 1.55; tab-size: 2;
}
pre code { font-size: 1em; }
table { width: 100%; border-collapse: collapse; margin: 0.9rem 0 1.5rem; font-size: 0.925rem; }
th, td { padding: 0.5rem 1rem 0.5rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { font-size: 0.8rem; color: var(--soft); white-space: nowrap; }
tbody th { font-weight: 400; }
:target { background: var(--accent-tint); }
small { display: block; color: var(--soft); font-size: 0.86em; overflow-wrap: anywhere; }
.tag { padding: 0.05rem 0.5rem; border-radius: 999px; background: var(--warn-tint); color: var(--warn); font-size: 0.8rem; }
details { margin: 0.6rem 0 1rem; }
summary { cursor: pointer; color: var(--accent); width: fit-content; padding: 0.15rem 0; }
.foot { padding: 1.2rem clamp(1rem, 4vw, 2.5rem) 2rem; border-top: 1px solid var(--line); background: var(--side); color: var(--soft); }
.foot p { margin: 0.2rem 0; }
@media (max-width: 40rem) {
  table, tbody, tr, td, tbody th { display: block; width: auto; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  th, td { padding: 0.1rem 0; border: 0; }
  tbody th { font-weight: 600; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
}
@media print {
  .pages, .contents, .skip { display: none; }
  pre { max-height: none; white-space: pre-wrap; }
}
`;
