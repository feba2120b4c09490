import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAGE_LIMITS } from '../../../client/read/limits.ts';
import type { Report } from '../../../client/validate/report.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { page as htmlPage, type Operation, pageOperation } from '../../request/operation.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { frameOf } from '../parts/frame-of.ts';
import { sendPage } from '../parts/send-page.ts';
import { renderValidatePage } from './validate-page.ts';

const MOST_BODY_BYTES = 16 * 1024;
const SAMPLE = 5;
/** Most concurrent validations: each may keep a CPU busy for a minute. */
const AT_A_TIME = 2;

const FORM = pageOperation('validatePage', 'Asks for the URL of a source to validate');

const VALIDATE = {
  id: 'validateByForm',
  tag: 'pages',
  summary: 'Validates a source, and shows what was found',
  description: `Reads documents of any server, other than those in private networks that the settings do not name. It takes at most ${PAGE_LIMITS.totalMs / 1000} seconds.`,
  body: { 'application/x-www-form-urlencoded': 'text' },
  answers: [htmlPage('The page.')],
} satisfies Operation;

/** The page that validates any source. @param stopping ends validations when the server stops */
export function validateRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs, validateNetworks } = app.configuration;
  let underWay = 0;

  return [
    get('/validate', {
      action: 'administer',
      operation: FORM,
      async handle(request, response) {
        sendPage(response, renderValidatePage({ frame: await frameOf(app, request, response), url: '' }));
      },
    }),

    post('/validate', {
      action: 'administer',
      operation: VALIDATE,
      async handle(request, response) {
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BODY_BYTES);
        const url = new URLSearchParams(body.toString()).get('url')?.trim() ?? '';
        const frame = await frameOf(app, request, response);
        const left = new AbortController();
        response.on('close', () => left.abort());
        underWay++;
        try {
          if (underWay > AT_A_TIME) throw new TidemarkError('not-ready', 'others are being validated: try again later');
          const signal = AbortSignal.any([stopping, left.signal]);
          const report = await validateOnce(url, { networks: validateNetworks, signal });
          sendPage(response, renderValidatePage({ frame, url, report }));
        } catch (error) {
          if (left.signal.aborted) return;
          if (!isTidemarkError(error)) throw error;
          sendPage(response, renderValidatePage({ frame, url, problem: `${error.message}.` }));
        } finally {
          underWay--;
        }
      },
    }),
  ];
}

interface Once {
  readonly networks: readonly string[];
  readonly signal: AbortSignal;
}

async function validateOnce(url: string, { networks, signal }: Once): Promise<Report> {
  if (!URL.canParse(url)) throw new TidemarkError('invalid', 'That is not a URL: use one such as https://example.org/');
  // Loaded on first use: few servers need it.
  const [{ validate }, { HttpFetcher }] = await Promise.all([
    import('../../../client/validate/validate.ts'),
    import('../../../client/read/http-fetcher.ts'),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-validate-'));
  const fetcher = new HttpFetcher({ ...PAGE_LIMITS, privateNetworks: networks });
  try {
    return await validate(new URL(url).href, { fetcher, folder, signal, limits: PAGE_LIMITS, sample: SAMPLE });
  } finally {
    fetcher.close();
    await rm(folder, { recursive: true, force: true });
  }
}
