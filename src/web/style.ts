/** The one style sheet, inside every page: a page is one request, also over a slow line. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#16242b, #e3ebee);
  --quiet: light-dark(#55666e, #9bb0b9);
  --paper: light-dark(#f5f8f8, #10191d);
  --card: light-dark(#fff, #18242a);
  --line: light-dark(#d8e2e4, #2b3b43);
  --sea: light-dark(#0b6477, #6cc6d9);
  --deep: light-dark(#0a3d4a, #0c2f3a);
  --good: light-dark(#1d6b3f, #7fd3a2);
  --warn: light-dark(#8a4b00, #f0b65e);
  --bad: light-dark(#9c2b26, #f2938c);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--sea); text-underline-offset: .15em; }
a:focus-visible { outline: 3px solid var(--sea); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -999em; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .4rem .8rem; z-index: 1; }
.bar { background: var(--deep); color: #fff; }
.bar > div, main, .foot { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
.bar > div { display: flex; align-items: center; gap: .6rem; padding-block: .8rem; }
.bar a { color: #fff; text-decoration: none; font-weight: 650; letter-spacing: .01em; }
.bar svg { width: 1.7rem; height: 1.7rem; flex: none; }
.bar .where { margin-left: auto; font-weight: 400; font-size: .9rem; text-decoration: underline; opacity: .9; }
main { padding-block: 1.6rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .2rem 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .7rem; }
.lead, .quiet { color: var(--quiet); }
.lead { margin: 0 0 1.5rem; max-width: 46rem; }
.crumbs { font-size: .9rem; margin: 0; }
.sets { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.25rem; }
.card h2 { margin: 0; font-size: 1.2rem; overflow-wrap: anywhere; }
.card .id { font: .85rem ui-monospace, monospace; color: var(--quiet); margin-left: .4rem; font-weight: 400; }
.figures { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin: .8rem 0; }
.figures div { display: flex; flex-direction: column-reverse; min-width: 6.5rem; }
.figures dt { color: var(--quiet); font-size: .82rem; }
.figures dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.links { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; margin: 0; padding: 0; font-size: .94rem; }
.state { display: inline-block; font-size: .8rem; font-weight: 600; border: 1px solid; border-radius: 1rem; padding: 0 .6rem; vertical-align: .1em; white-space: nowrap; }
.live, .created { color: var(--good); }
.scanning, .updated { color: var(--warn); }
.deleted { color: var(--bad); }
.notice { border-left: 4px solid var(--warn); background: var(--card); padding: .7rem 1rem; margin: 1rem 0; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
table { border-collapse: collapse; width: 100%; font-size: .94rem; }
th, td { text-align: left; padding: .45rem .9rem; border-bottom: 1px solid var(--line); vertical-align: baseline; }
tr:last-child td { border-bottom: 0; }
th { font-size: .82rem; color: var(--quiet); font-weight: 600; white-space: nowrap; }
td.name { overflow-wrap: anywhere; min-width: 14rem; }
td.short { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.pager { display: flex; gap: 1.5rem; margin-top: 1.2rem; }
.foot { border-top: 1px solid var(--line); padding-block: 1rem 2rem; color: var(--quiet); font-size: .88rem; }
@media (max-width: 36rem) {
  .bar .where { display: none; }
  .figures { gap: .4rem 1.3rem; }
  th, td { padding: .45rem .6rem; }
}
`;
