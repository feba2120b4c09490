import { countFindings, type Progress, type Report } from '../../../client/validate/report.ts';
import { type FindingView, findingView } from '../../../client/validate/report-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { type Page, renderPage, renderPageAround } from '../parts/layout.ts';
import { facts, table } from '../parts/tables.ts';
import { counted } from '../parts/words.ts';

/** A form for the URL of a source. */
export function renderValidatePage(frame: Frame): string {
  return renderPage(pageOf(frame, ''));
}

/** The same with a URL: what is before its progress and its result, and what is behind them. */
export function renderAroundValidation(frame: Frame, url: string): readonly [string, string] {
  return renderPageAround(pageOf(frame, url));
}

function pageOf(frame: Frame, url: string): Page {
  const main = html`<h1>Validate a source</h1>
<p class="lead">Reads any ResourceSync source, and checks it by the rules of the specification. It takes at most a minute,
and leaves out large documents and most resources: the command <code>tidemark validate</code> reads everything.</p>
<form class="search" action="./validate" method="post">
<label for="url">The URL of a source: its address, a document of it, or a page that links to it</label>
<input id="url" name="url" type="url" value="${url}" maxlength="2048" required autocomplete="off" spellcheck="false">
<button>Validate</button>
</form>
`;
  return { frame, title: 'Validate a source', main };
}

/** What was done so far. The style sheet shows only the last one of these, until something follows. */
export function validationProgress({ documents, entries, resources, packages, uri }: Progress): string {
  const parts = [
    documents > 0 && `${counted(documents, 'document')} with ${counted(entries, 'entry', 'entries')}`,
    resources > 0 && counted(resources, 'resource'),
    packages > 0 && counted(packages, 'package'),
  ].filter((part) => part !== false);
  return html`<p class="so-far quiet">${parts.length > 0 && `So far: ${parts.join(', ')}. `}Reading <code>${uri}</code> …</p>
`.text;
}

/** The error when nothing could be read. */
export function validationProblem(problem: string): string {
  return html`<div class="notice bad" role="alert"><p><strong>Nothing was read.</strong> ${problem}</p></div>`.text;
}

export function validationResult(report: Report): string {
  return found(report).text;
}

function found(report: Report): Html {
  const { url, failure, description, hasDescription, findings, documents, entries, resources, packages, incomplete } =
    report;
  const more = report.broken.reduce((sum, rule) => sum + rule.findings, 0) - findings.length;
  return html`${verdict(report)}
${incomplete.length > 0 && html`<div class="notice" role="status"><p><strong>Not everything was read:</strong> ${incomplete.join('; ')}.</p></div>`}
${failure !== undefined && entries > 0 && html`<div class="notice" role="status"><p><strong>Nothing was read of <code>${url}</code> itself:</strong> ${failure}.</p></div>`}
${facts([
  ['Source Description', hasDescription ? html`<code>${description}</code>` : undefined],
  ['Documents', formatCount(documents)],
  ['Entries', formatCount(entries)],
  ['Resources compared', formatCount(resources)],
  ['Packages compared', packages === 0 ? undefined : formatCount(packages)],
])}
${findings.length > 0 && html`<h2>Findings</h2>`}
${findings.length > 0 && table('Findings, what matters most first', findings.map(findingView), COLUMNS)}
${more > 0 && html`<p class="quiet">and ${formatCount(more)} more: of each rule, the first ten are shown.</p>`}`;
}

function verdict(report: Report): Html {
  const musts = countFindings(report, 'MUST');
  if (musts > 0) {
    return html`<div class="notice bad" role="status"><p><strong>${counted(musts, 'finding')} at the level MUST.</strong> Clients may fail to read this source.</p></div>`;
  }
  const others = report.findings.length > 0 && html` What is below is advice.`;
  return html`<div class="notice good" role="status"><p><strong>Nothing at the level MUST is broken</strong> in what was read.${others}</p></div>`;
}

const COLUMNS = [
  { name: 'Level', style: 'short', cell: ({ level }: FindingView) => level },
  {
    name: 'Rule',
    style: 'name',
    isHead: true,
    cell: ({ rule, text, section }: FindingView) => html`${rule}: ${text} <span class="quiet">– ${section}</span>`,
  },
  {
    name: 'Where and what',
    style: 'name',
    cell: ({ document, line, message }: FindingView) =>
      html`${message}<br><span class="quiet"><code>${document}</code>${line !== undefined && html`, line ${formatCount(line)}`}</span>`,
  },
  { name: 'What to do', style: 'name wide', cell: ({ advice }: FindingView) => advice },
];
