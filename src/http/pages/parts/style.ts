/** The only style sheet, inside every page: a page is one request, which is fast even on a slow line. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1a2529, #e4eaec);
  --quiet: light-dark(#52636a, #9fb1b8);
  --paper: light-dark(#fbfbf9, #11181b);
  --card: light-dark(#fff, #182125);
  --tint: light-dark(#f1f4f3, #1e292e);
  --line: light-dark(#dfe4e3, #2c3a40);
  --sea: light-dark(#0b5c6e, #7cc9da);
  --deep: light-dark(#0b5c6e, #0f6b80);
  --good: light-dark(#1b6540, #83d3a5);
  --warn: light-dark(#855000, #ecb765);
  --bad: light-dark(#9a2a2a, #f09a92);
  --sans: "Public Sans", "Public Sans Fallback", system-ui, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
* { box-sizing: border-box; }
body {
  display: flex; flex-direction: column; min-height: 100vh; margin: 0; border-top: 4px solid var(--deep);
  background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans);
}
a { color: var(--sea); text-decoration-thickness: 1px; text-underline-offset: .18em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--sea); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -999em; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .4rem .8rem; z-index: 1; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.bar > div, main, .foot > div { width: 100%; max-width: 68rem; margin: 0 auto; padding-inline: 1.5rem; }
.bar { border-bottom: 1px solid var(--line); background: var(--card); }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1.6rem; padding-block: .8rem; }
.brand { display: flex; align-items: center; gap: .6rem; margin-right: auto; color: var(--ink); text-decoration: none; font: 600 1.25rem var(--sans); }
.brand svg { width: 1.8rem; height: 1.8rem; flex: none; }
.bar nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; list-style: none; margin: 0; padding: 0; font-size: .94rem; }
.bar nav a { color: var(--ink); text-decoration: none; padding-block: .2rem; border-bottom: 2px solid transparent; }
.bar nav a:hover, .bar nav a[aria-current] { border-bottom-color: var(--sea); }
.who { color: var(--quiet); font-size: .88rem; overflow-wrap: anywhere; }
.bar form { margin: 0; font-size: .88rem; }
button.link { background: none; border: 0; padding: .2rem 0; color: var(--sea); text-decoration: underline; text-underline-offset: .18em; }
.fields { max-width: 34rem; }
.fields p { margin: 0 0 1.1rem; }
.fields label { display: block; font-weight: 600; margin-bottom: .2rem; }
.fields input:not([type=checkbox], [type=radio]), .fields select, .fields textarea { width: 100%; }
.fields .hint { display: block; color: var(--quiet); font-size: .88rem; margin: .2rem 0 0; }
input, select, textarea { font: inherit; color: inherit; border-radius: .35rem; padding: .42rem .8rem; background: var(--card); border: 1px solid light-dark(#7a8a8f, #6c7f86); }
textarea, input.code { font: .88rem/1.5 var(--mono); }
::file-selector-button { font: inherit; font-size: .88rem; color: var(--sea); background: none; border: 1px solid light-dark(#7a8a8f, #6c7f86); border-radius: .35rem; padding: .1rem .6rem; margin-right: .8rem; cursor: pointer; }
fieldset { border: 0; padding: 0; margin: 0 0 1.1rem; }
legend { font-weight: 600; padding: 0; }
.fields .box { display: inline-block; font-weight: 400; margin-right: 1.2rem; }
button.bad { background: var(--card); border-color: var(--bad); color: var(--bad); }
.danger summary { color: var(--bad); }
main { flex: 1; padding-block: 2rem 3.5rem; overflow-wrap: break-word; }
.foot { border-top: 1px solid var(--line); color: var(--quiet); font-size: .88rem; }
.foot > div { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; padding-block: 1.1rem 1.6rem; }

h1 { font: 600 2rem/1.2 var(--sans); margin: .2rem 0 .5rem; overflow-wrap: anywhere; text-wrap: balance; }
h2 { font: 600 1.3rem/1.3 var(--sans); margin: 2.6rem 0 .8rem; }
h2 + p { margin-top: -.3rem; }
h1 + :is(.facts, .notice, .fields) { margin-top: 1.3rem; }
.facts + :is(.scroll, .notice, .log) { margin-top: 1.3rem; }
h3 { font-size: 1rem; margin: 0 0 .6rem; }
:is(.facts, .quiet, .scroll) + h3 { margin-top: 1.8rem; }
.lead { max-width: 44rem; margin: 0 0 1.6rem; color: var(--quiet); font-size: 1.06rem; }
.quiet { color: var(--quiet); }
.crumbs { font-size: .9rem; margin: 0 0 .4rem; overflow-wrap: anywhere; }
.crumbs ol { display: flex; flex-wrap: wrap; list-style: none; margin: 0; padding: 0; }
.crumbs li + li::before { content: "/"; color: var(--quiet); margin-inline: .6rem; }
code { font: .88em var(--mono); overflow-wrap: anywhere; }
.copied { user-select: all; }
.id { color: var(--quiet); font: .85rem var(--mono); }
.title .id { margin-left: .4rem; }
.subtitle { color: var(--quiet); margin: 0 0 1.4rem; overflow-wrap: anywhere; }

.tabs { border-bottom: 1px solid var(--line); margin: 0 0 1.8rem; }
.tabs ul { display: flex; flex-wrap: wrap; gap: 0 1.7rem; list-style: none; margin: 0; padding: 0; }
.tabs a { display: block; padding: .5rem .1rem; white-space: nowrap; color: var(--quiet); text-decoration: none; border-bottom: 3px solid transparent; }
.tabs a:hover { color: var(--ink); border-bottom-color: var(--line); }
.tabs a[aria-current] { color: var(--ink); font-weight: 600; border-bottom-color: var(--sea); }

.figures { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin: 0 0 1.8rem; }
.figures div { display: flex; flex-direction: column-reverse; }
.figures dt { color: var(--quiet); font-size: .88rem; }
.figures dd { margin: 0; font: 600 1.7rem/1.25 var(--sans); font-variant-numeric: lining-nums; }

.state { display: inline-block; font: 600 .8rem/1.6 var(--sans); border: 1px solid; border-radius: 1rem; padding: 0 .65rem; vertical-align: .2em; margin-left: .3rem; white-space: nowrap; }
.live, .created, .applied { color: var(--good); }
.reading, .updated { color: var(--warn); }
.deleted, .rejected, .failing { color: var(--bad); }
.kind { white-space: nowrap; }
.kind::before { display: inline-block; width: 1.1em; font-weight: 700; }
.kind.created::before { content: "+" / ""; }
.kind.updated::before { content: "~" / ""; }
.kind.deleted::before { content: "−" / ""; }
.notice { border-left: 4px solid var(--warn); background: var(--tint); padding: .8rem 1.1rem; margin: 0 0 1.6rem; }
.notice.good { border-color: var(--good); }
.notice.bad { border-color: var(--bad); }
.so-far:has(+ *) { display: none; }
.notice p { margin: .2rem 0; }
.notice ul { margin: .2rem 0; padding-left: 1.3rem; }
.notice[role=alert] p { white-space: pre-line; }

.scroll { position: relative; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .94rem; }
th, td { text-align: left; padding: .55rem 1rem; border-bottom: 1px solid var(--line); vertical-align: baseline; }
tbody tr:last-child > * { border-bottom: 0; }
@media (min-width: 40.01rem) { table:has(th:nth-child(9)) > * > tr > * { padding-inline: .55rem; } }
thead th { color: var(--quiet); font-size: .84rem; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; }
thead a { text-decoration: none; }
[aria-sort] { color: inherit; }
.sorts { display: none; }
.name { overflow-wrap: anywhere; min-width: 13rem; }
.short, .number { width: 1%; }
.short { white-space: nowrap; }
.more-of { display: block; color: var(--quiet); font-size: .86rem; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.title a { font-weight: 600; }
.facts { display: grid; grid-template-columns: 12rem 1fr; gap: 0; margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.facts dt, .facts dd { padding: .5rem 1rem; margin: 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; min-width: 0; }
.facts dt { color: var(--quiet); }
.facts > :nth-last-child(-n+2) { border-bottom: 0; }
.facts ul { list-style: none; margin: 0; padding: 0; }

.search { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.2rem; }
.search label { flex-basis: 100%; color: var(--quiet); font-size: .88rem; }
.search input { flex: 1 1 14rem; min-width: 0; max-width: 30rem; }
.search .hint { flex-basis: 100%; color: var(--quiet); font-size: .88rem; }
mark { background: light-dark(#ffe9a8, #5a4a12); color: inherit; border-radius: .15rem; }
.filter { display: flex; flex-wrap: wrap; align-items: end; gap: .6rem .8rem; margin: 0 0 1.2rem; }
.filter p { margin: 0; }
.filter p:first-child { flex: 1 1 14rem; max-width: 22rem; }
.filter label { display: block; color: var(--quiet); font-size: .88rem; }
.filter input[type=search] { width: 100%; }
.filter input, .filter select { height: 2.6rem; }
.day { font-size: 1.1rem; margin: 1.6rem 0 .6rem; }
button { font: inherit; border-radius: .35rem; padding: .42rem .8rem; }
button, .button { background: var(--deep); border: 1px solid var(--deep); color: #fff; cursor: pointer; }
button:hover { filter: brightness(1.1); }
button[aria-busy] { cursor: progress; opacity: .7; }
button.small { background: none; border-color: light-dark(#7a8a8f, #6c7f86); color: var(--sea); font-size: .88rem; padding: .1rem .6rem; }
.button { display: inline-block; border-radius: .35rem; padding: .42rem .8rem; text-decoration: none; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
.buttons + h3, .fields + .buttons { margin-top: 1.4rem; }
.facts + .buttons { margin-top: 1rem; }
td form, td p, td details, .buttons details { margin: 0; }
.rejections { list-style: none; margin: .4rem 0 0; padding: 0; }
.rejections li + li { margin-top: .5rem; }

.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.2rem; }
.plot { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.1rem; min-width: 0; }
.plot svg { display: block; width: 100%; height: auto; }
.plot text { fill: var(--quiet); font: 11px var(--sans); }
.plot .axis { stroke: var(--quiet); }
.plot .grid { stroke: var(--line); }
.plot .in { fill: var(--sea); }
.plot .new, .plot .out { fill: var(--card); }
.plot .line { stroke: var(--sea); }
.plot .dot { fill: var(--bad); }
.plot .updated-bar, .plot .created-bar { stroke: var(--sea); }
.plot .deleted-bar { stroke: var(--bad); }
.plot .column:hover .back { fill: var(--tint); }
.plot .back { fill: transparent; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; list-style: none; margin: 0 0 .6rem; padding: 0; font-size: .88rem; color: var(--quiet); }
.legend svg { display: inline-block; width: 1em; height: 1em; vertical-align: -.12em; margin-right: .35em; }
.confirm p { margin: .3rem 0; }
.confirm summary, .confirm button { white-space: nowrap; }
.confirm[open] { width: max-content; max-width: 14rem; white-space: normal; }
.danger button.small { border-color: var(--bad); color: var(--bad); }
details { margin-top: .6rem; font-size: .9rem; }
.fields details { margin-bottom: 1.1rem; }
.fields details > p:first-of-type { margin-top: .9rem; }
details .scroll { max-height: 18rem; overflow-y: auto; margin-top: .6rem; }
summary { cursor: pointer; color: var(--sea); }

.sparkline { display: block; }
.sparkline path { fill: var(--sea); }
.sparkline line { stroke: var(--line); }
.orders ul { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; margin: 0 0 .7rem; padding: 0; font-size: .9rem; }
.orders [aria-current] { font-weight: 600; }
td > .state { margin-left: 0; vertical-align: baseline; }
.pager { display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; margin-top: 1.1rem; align-items: baseline; }
.more { margin: .8rem 0 0; }
.about { display: inline-block; min-height: 1.6rem; padding-block: .15rem; }

pre { background: var(--tint); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; margin: .9rem 0; white-space: pre-wrap; }
pre code, pre.log { font: .85rem/1.55 var(--mono); }
progress { accent-color: var(--sea); }
.operation { border-top: 1px solid var(--line); padding-top: 1.3rem; margin-top: 1.8rem; }
.operation h2 { font-size: 1.1rem; margin: 0 0 .6rem; }
.operation .scroll { margin-top: .9rem; }
.method { font: 600 .8rem/1.7 var(--mono); background: var(--tint); border: 1px solid var(--line); border-radius: .3rem; padding: 0 .5rem; }
.contents { font-size: .9rem; }
.contents ul { list-style: none; margin: 0; padding: 0; }
.contents li { margin-bottom: .4rem; }
.contents [aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
.contents li ul { margin: .3rem 0 .6rem; padding-left: 1rem; border-left: 2px solid var(--sea); overflow-wrap: anywhere; }
.beside { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 2.5rem; }
.beside > .contents { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; padding: 3px; }
[id] { scroll-margin-top: 1rem; }
.record th, .record td { padding-block: .25rem; }
.record th, .record .code { font: .88rem var(--mono); white-space: nowrap; width: 1%; }
.record .name { min-width: 0; white-space: pre-line; }
.record .hint { width: 1%; color: var(--quiet); font-size: .84rem; white-space: nowrap; }
.record b.code { color: var(--sea); margin-inline-start: .35em; }
.record .name > b.code:first-child { margin-inline-start: 0; }
.record .more-of mark { color: var(--ink); }
.bytes { margin: 0; border: 0; white-space: pre; overflow: visible; width: max-content; }
.fault { background: var(--tint); box-shadow: inset 4px 0 var(--bad); }
ins { color: var(--good); text-decoration: underline; }
del { color: var(--bad); }
@media (max-width: 40rem) {
  .bar > div, main, .foot > div { padding-inline: 1rem; }
  .beside { display: block; }
  .beside > .contents { position: static; max-height: none; margin-bottom: 1.5rem; }
  .contents > ul { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; }
  .contents li ul { display: none; }
  main { padding-block: 1.4rem 2.5rem; }
  h1 { font-size: 1.6rem; }
  .figures { gap: .8rem 1.8rem; }
  .figures dd { font-size: 1.35rem; }
  th, td { padding: .5rem .7rem; }
  .tabs ul { gap: 0 1.2rem; }
  .plot text { font-size: 15px; }
  .wide { display: none; }
  .record.compared tr { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--line); padding-block: .3rem; }
  .record.compared :is(th, td) { border: 0; width: auto; padding-block: 0; }
  .record.compared td:empty { display: none; }
  .record.compared .name { flex: 1 0 100%; }
  .name { min-width: 10rem; }
  .sorts { display: block; line-height: 2; }
  .sorts a { margin-left: .6rem; }
  .stacks, .stacks tbody { display: block; }
  .stacks thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacks tr { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; padding: .5rem .7rem; border-bottom: 1px solid var(--line); }
  .stacks tbody tr:last-child { border-bottom: 0; }
  .stacks :is(th, td) { white-space: normal; padding: 0; border: 0; width: auto; min-width: 0; text-align: left; overflow-wrap: anywhere; }
  .stacks tbody th { order: -1; flex: 1 0 100%; max-width: 100%; }
  .stacks td:empty { display: none; }
  .stacks td::before { content: attr(data-name); margin-right: .4em; color: var(--quiet); font-size: .84rem; }
  :not(.stacks) > tbody .short:has(> time) { white-space: normal; min-width: 7.4rem; }
  .facts { grid-template-columns: 1fr; }
  .facts dt { border-bottom: 0; padding-bottom: 0; font-size: .88rem; }
  .facts dd { padding-top: 0; }
  .facts > :nth-last-child(2) { border-bottom: 0; }
}
@media print {
  .bar nav, .who, .tabs, .search, .pager, form, details { display: none; }
  body { border-top: 0; }
}
`;
