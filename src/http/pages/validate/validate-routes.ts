import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAGE_LIMITS } from '../../../client/read/limits.ts';
import type { ValidateOptions } from '../../../client/validate/read/session.ts';
import type { Progress, Report } from '../../../client/validate/report.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { page as htmlPage, pageOperation } from '../../request/operation.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { frameOf } from '../parts/frame-of.ts';
import { beginPage, sendPage } from '../parts/send-page.ts';
import {
  renderAroundValidation,
  renderValidatePage,
  validationProblem,
  validationProgress,
  validationResult,
} from './validate-page.ts';

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
