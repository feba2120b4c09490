import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAGE_LIMITS } from '../../../client/read/limits.ts';
import type { ValidateOptions } from '../../../client/validate/read/session.ts';
import { countFindings, type Progress, type Report } from '../../../client/validate/report.ts';
import { type FindingView, findingView } from '../../../client/validate/report-view.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { page as htmlPage, pageOperation } from '../../request/operation.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import type { Frame } from '../parts/frame.ts';
import { frameOf } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { type Page, renderPage, renderPageAround } from '../parts/layout.ts';
import { beginPage, sendPage } from '../parts/send-page.ts';
import { facts, table } from '../parts/tables.ts';
import { counted } from '../parts/words.ts';

const MOST_BODY_BYTES = 16 * 1024;
const SAMPLE = 5;
/** Most concurrent validations: each may keep a CPU busy for a minute. */
const AT_A_TIME = 2;
const PROGRESS_INTERVAL_MS = 500;

/** The page that validates any source. @param stopping ends validations when the server stops */
export function validateRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs, validateNetworks, baseUrl } = app.configuration;
  let underWay = 0;

  return [
    get('/validate', {
      action: 'administer',
      ...pageOperation('validatePage', 'Asks for the URL of a source to validate'),
      async handle(request, response) {
        sendPage(response, renderValidatePage(await frameOf(app, request, response)));
      },
    }),

    post('/validate', {
      action: 'administer',
      id: 'validateByForm',
      tag: 'pages',
      summary: 'Validates a source, and shows what was found',
      description: `Reads documents of this server and of any other, except those in private networks that the setting --validate-networks does not name. It takes at most ${PAGE_LIMITS.totalMs / 1000} seconds.`,
      body: { 'application/x-www-form-urlencoded': 'text' },
      answers: [htmlPage('The page.')],
      async handle(request, response) {
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BODY_BYTES);
        const url = new URLSearchParams(body.toString()).get('url')?.trim() ?? '';
        const [before, after] = renderAroundValidation(await frameOf(app, request, response), url);
        const left = new AbortController();
        response.on('close', () => left.abort());
        beginPage(response, before);
        underWay++;
        try {
          if (underWay > AT_A_TIME) throw new TidemarkError('not-ready', 'others are being validated: try again later');
          const signal = AbortSignal.any([stopping, left.signal]);
          using shown = showProgress(response);
          const { onProgress } = shown;
          const report = await validateOnce(url, { baseUrl, networks: validateNetworks, signal, onProgress });
          response.end(validationResult(report) + after);
        } catch (error) {
          if (left.signal.aborted) return;
          if (!isTidemarkError(error)) throw error;
          response.end(validationProblem(`${error.message}.`) + after);
        } finally {
          underWay--;
        }
      },
    }),
  ];
}

/** Sends the progress whenever there is some, at most once in each interval, until it is disposed of. */
function showProgress(response: Pick<ServerResponse, 'write'>) {
  let latest: Progress | undefined;
  const timer = setInterval(() => {
    if (latest !== undefined) response.write(validationProgress(latest));
    latest = undefined;
  }, PROGRESS_INTERVAL_MS);
  return {
    onProgress: (progress: Progress) => {
      latest = progress;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

interface Once extends Pick<ValidateOptions, 'onProgress'> {
  /** Of this server, whose own sets can always be validated. */
  readonly baseUrl: string;
  readonly networks: readonly string[];
  readonly signal: AbortSignal;
}

async function validateOnce(url: string, { baseUrl, networks, signal, onProgress }: Once): Promise<Report> {
  if (!URL.canParse(url)) throw new TidemarkError('invalid', 'That is not a URL: use one such as https://example.org/');
  // Loaded on first use: few servers need it.
  const [{ validate }, { HttpFetcher }] = await Promise.all([
    import('../../../client/validate/validate.ts'),
    import('../../../client/read/http-fetcher.ts'),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-validate-'));
  const { origin } = new URL(baseUrl);
  const fetcher = new HttpFetcher({
    ...PAGE_LIMITS,
    privateNetworks: networks,
    isTrusted: (url) => url.origin === origin,
    networkAdvice: ': the setting --validate-networks permits its network',
  });
  try {
    const options = { fetcher, folder, signal, limits: PAGE_LIMITS, sample: SAMPLE, onProgress };
    return await validate(new URL(url).href, options);
  } finally {
    fetcher.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A form for the URL of a source. */
function renderValidatePage(frame: Frame): string {
  return renderPage(pageOf(frame, ''));
}

/** The same with a URL: what is before its progress and its result, and what is behind them. */
function renderAroundValidation(frame: Frame, url: string): readonly [string, string] {
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
function validationProgress({ documents, entries, resources, packages, uri }: Progress): string {
  const parts = [
    documents > 0 && `${counted(documents, 'document')} with ${counted(entries, 'entry', 'entries')}`,
    resources > 0 && counted(resources, 'resource'),
    packages > 0 && counted(packages, 'package'),
  ].filter((part) => part !== false);
  return html`<p class="so-far quiet">${parts.length > 0 && `So far: ${parts.join(', ')}. `}Reading <code>${uri}</code> …</p>
`.text;
}

/** The error when nothing could be read. */
function validationProblem(problem: string): string {
  return html`<div class="notice bad" role="alert"><p><strong>Nothing was read.</strong> ${problem}</p></div>`.text;
}

function validationResult(report: Report): string {
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
