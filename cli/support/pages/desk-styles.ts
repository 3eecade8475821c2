/** Of the box and the ways on every page, and of the pages of requests and access keys. */
export const deskStyles = `
.desk { display: flex; flex-wrap: wrap; gap: 0.6rem 1.5rem; justify-content: space-between; align-items: center; padding: 0.8rem 0 0; }
.desk ul { display: flex; flex-wrap: wrap; gap: 0 1.2rem; list-style: none; margin: 0; padding: 0; }
.desk li { margin: 0; }
.desk li a { display: inline-block; padding: 0.35rem 0; }
.find { display: flex; gap: 0.5rem; flex: 1 1 16rem; max-width: 30rem; }
.filter { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13.5rem), 1fr)); gap: 0.8rem; align-items: end; }
.message label { display: block; margin: 1.6rem 0 0.3rem; font-size: 0.9rem; color: var(--soft); }
textarea {
  font: inherit; color: inherit; display: block; width: 100%; max-width: 46rem; padding: 0.7rem 0.9rem; resize: vertical;
  border: 1px solid var(--soft); border-radius: 8px; background: var(--card);
}
.dense th, .dense td.number, .dense .exact, .dense .id { white-space: normal; }
.dense th, .dense td { padding-inline: 0.5rem; }
@media print { .find { display: none; } }
`;
