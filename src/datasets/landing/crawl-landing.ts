import { parse as parseDisposition } from 'content-disposition';
import type { DatasetFetcher, Fetched } from '../fetch/dataset-fetcher.ts';
import { BrokenBody } from '../fetch/fetch-failure.ts';
import { charsetOf, mediaTypeOf } from '../fetch/media-type-of.ts';
import { fetchAndRead, type ReadBytes, readBytes } from '../fetch/read-body.ts';
import { challengeFailure, isPassing, requireCapture } from '../fetch/require-capture.ts';
import { shownUrl } from '../fetch/shown-url.ts';
import { digits14 } from '../fetch/timestamp14.ts';
import { IngestFailure } from '../ingest-failure.ts';
import { biblioOf, type HtmlBiblio } from './biblio.ts';
import type { Landing } from './landing.ts';
import type { HtmlParser } from './parse-html.ts';
import type { ReadPage } from './read-page.ts';
import { type Signpost, signpostsInHeader } from './signposts.ts';

interface CrawlParts {
  readonly fetcher: DatasetFetcher;
  readonly html: HtmlParser;
  readonly signal: AbortSignal;
}

export interface CrawledLanding {
  readonly landing: Landing;
  /** Of an HTML page. */
  readonly biblio?: HtmlBiblio;
}

const ACCEPT = 'text/html, application/xhtml+xml, */*;q=0.8';
const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml']);
const MOST_BYTES = 5_000_000;

/**
 * Requests the base_url of a request, follows its redirects (D20, D21), and reads the page where they end. What is no
 * HTML is not read (D23).
 * @throws IngestFailure with a status of landing pages, and with `terminal` where a server has answered; the signal's
 *   reason
 */
export function crawlLanding(url: string, { fetcher, html, signal }: CrawlParts): Promise<CrawledLanding> {
  const asked = { url, accept: ACCEPT, signal, unanswered: 'no-capture' } as const;
  return fetchAndRead(fetcher, asked, async (fetched) => {
    try {
      requireCapture(fetched, isPassing(fetched.status) ? 'no-capture' : 'terminal-bad-status');
      return await landingOf(fetched, html, signal);
    } catch (error) {
      if (!(error instanceof IngestFailure) || error instanceof BrokenBody) throw error;
      throw new IngestFailure(error.status, error.message, { cause: error, terminal: terminalOf(fetched) });
    }
  });
}

async function landingOf(fetched: Fetched, html: HtmlParser, signal: AbortSignal): Promise<CrawledLanding> {
  const { url, headers } = fetched;
  const mimetype = mediaTypeOf(headers['content-type']);
  const signposts = signpostsInHeader(headers.link ?? '', url);
  const landing = { ...headOf(fetched), mimetype, signposts, jsonLd: [] };
  if (mimetype !== '' && !HTML_TYPES.has(mimetype)) return { landing: { ...landing, isHtml: false } };
  const body = await readBytes(fetched, MOST_BYTES);
  if (mimetype === '' && !beginsAsHtml(body.bytes)) return { landing: { ...landing, isHtml: false } };
  const page = await readHtml(fetched, body, (read) => html.parse(read, signal));
  return {
    landing: {
      ...landing,
      isHtml: true,
      ...(!body.isCut && { sha1hex: page.sha1hex }),
      signposts: withoutDuplicates([...signposts, ...page.signposts]),
      jsonLd: page.jsonLd,
    },
    biblio: biblioOf(page),
  };
}

/** @throws IngestFailure for a page that says nothing of a dataset */
async function readHtml(
  { url, headers }: Fetched,
  { bytes, isCut }: ReadBytes,
  parse: (page: Parameters<HtmlParser['parse']>[0]) => Promise<ReadPage>,
): Promise<ReadPage> {
  if (bytes.length === 0) {
    throw new IngestFailure(
      'no-capture',
      `the page ${shownUrl(url)} is empty: open it in a browser, or try again later`,
    );
  }
  const page = await parse({ url, bytes, charset: charsetOf(headers['content-type']) });
  // The head is enough: what a page says of a dataset is there.
  if (isCut && !page.isHeadWhole) {
    const problem = `has a head of more than ${MOST_BYTES.toLocaleString('en-US')} bytes`;
    throw new IngestFailure(
      'html-too-large',
      `the page ${shownUrl(url)} ${problem}: request the dataset by another URL`,
    );
  }
  if (isChallenge(page))
    throw challengeFailure(url, `shows "${page.title.slice(0, 80)}", which only a browser can answer`);
  return page;
}

/** Titles of pages that are shown before a page, by Cloudflare, Anubis, DataDome, Imperva and others. */
const CHALLENGE_TITLES =
  /^(?:just a moment|attention required|making sure you.?re not a bot|are you (?:a )?(?:human|robot)|robot or human|human verification|verify(?:ing)? you are human|checking your browser|security check|client challenge|ddos-guard)/i;

/** A page of a dataset says more than its title. */
const isChallenge = ({ title, meta, jsonLd }: ReadPage): boolean =>
  CHALLENGE_TITLES.test(title) &&
  jsonLd.length === 0 &&
  !Object.keys(meta).some((name) => /^(?:citation_|dc)/.test(name));

function headOf({ url, status, headers, hops }: Fetched) {
  const length = Number(headers['content-length'] ?? Number.NaN);
  const fileName = fileNameIn(headers['content-disposition']);
  return {
    url,
    dt: digits14(hops.at(-1)!.time),
    statusCode: status,
    // With a Content-Encoding, it is the length of something else.
    ...(Number.isSafeInteger(length) && !('content-encoding' in headers) && { length }),
    ...(fileName !== '' && { fileName }),
    hops: hops.map((hop) => hop.url),
  };
}

function terminalOf({ url, status, hops }: Fetched) {
  return { url: shownUrl(url), dt: digits14(hops.at(-1)!.time), statusCode: status };
}

const beginsAsHtml = (bytes: Uint8Array): boolean =>
  /^\uFEFF?\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|title|meta|body)\b/is.test(
    new TextDecoder().decode(bytes.subarray(0, 1_024)),
  );

/** The name of a file in the header Content-Disposition, without folders; empty without one. */
function fileNameIn(header: string | undefined): string {
  try {
    const name = header === undefined ? '' : (parseDisposition(header).parameters.filename ?? '');
    const [last = ''] = name.toWellFormed().split(/[/\\]/).slice(-1);
    return last.replaceAll(/\p{Cc}/gu, '').trim();
  } catch {
    return '';
  }
}

/** A page may state a signpost in its header and in its head. */
function withoutDuplicates(signposts: readonly Signpost[]): readonly Signpost[] {
  return [...new Map(signposts.toReversed().map((each) => [`${each.rel} ${each.href}`, each])).values()].toReversed();
}
