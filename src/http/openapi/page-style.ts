/** The style of the reference page; it stands in the page, which may load nothing. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #2563eb; }
@media (prefers-color-scheme: dark) { :root { --link: #7dadff; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; padding: 0; margin: 0 0 1rem; }
nav strong { display: block; }
main { padding: 1.5rem 2.5rem 6rem; max-width: 64rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 3.5rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
section { margin-top: 2.5rem; padding-top: .5rem; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
code { background: var(--soft); padding: .1em .3em; border-radius: 3px; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .8rem 1rem; border-radius: 6px; overflow: auto; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
table.facts { table-layout: fixed; }
.facts td:first-child { width: 13rem; }
.facts td:nth-child(2):not(:last-child) { width: 15rem; }
.facts .facts td { width: auto; }
.answers td:first-child { width: 4rem; }
td { overflow-wrap: anywhere; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); }
.path { font-weight: 600; }
.method { text-transform: uppercase; color: var(--link); }
.soft { opacity: .7; font-size: .875rem; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; border: 0; }
  main { padding: 1rem; }
  table, tbody, tr, td { display: block; width: auto !important; }
  td { border: 0; padding: .1rem 0; }
  tr { border-bottom: 1px solid var(--line); }
}
`;
