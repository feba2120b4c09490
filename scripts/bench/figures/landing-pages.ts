import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openHtmlParser } from '../../../src/datasets/landing/parse-html.ts';
import type { Bench } from '../figure.ts';
import { secondsSince } from '../support/spread.ts';

const PAGE_BYTES = 2_000_000;
/** Of a page, with the start of a thread, and with its end when it takes too long. */
const MOST_SECONDS = 5.5;
const LONGEST_BLOCK_MS = 50;
/** Each is repeated to the size of the page. */
const NESTINGS = [
  '<div>',
  '<p>',
  '<b><i>',
  '<a><b><p>',
  '<table>',
  '<table><tr><td>',
  '<svg><g>',
  '<math><mi>',
  '<select><option>',
  '<template>',
  '<form><ul><li>',
  '<meta name="a" content="b">',
];
const ORDINARY = `<!doctype html><head><title>Dataset</title><meta name="citation_doi" content="10.5072/1"></head>`;

export const landingPages: Bench = {
  name: 'landing-pages',
  about: 'landing pages of 2 MB of any nesting, each read or refused after 5 s, while others are read',

  async run({ runs, scale, log }) {
    const [longest, others, blocked] = [[] as number[], [] as number[], [] as number[]];
    const html = openHtmlParser();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    // The first pages start the threads.
    await Promise.all([read(html, ORDINARY), read(html, ORDINARY)]);
    delay.enable();
    for (let run = 1; run <= runs; run++) {
      const [pages, ordinary] = [[] as number[], [] as number[]];
      for (const nesting of NESTINGS) {
        const page = read(html, ORDINARY + nesting.repeat(Math.ceil((PAGE_BYTES * scale) / nesting.length)));
        ordinary.push(await read(html, ORDINARY));
        pages.push(await page);
        log(`${run}: ${nesting}: ${pages.at(-1)!.toFixed(2)} s`);
      }
      longest.push(Math.max(...pages));
      others.push(Math.max(...ordinary));
      blocked.push(delay.max / 1e6);
      delay.reset();
    }
    delay.disable();
    await html.close();
    return [
      { name: 'the longest of the pages of 2 MB', unit: 's', ours: longest, limit: { most: MOST_SECONDS } },
      { name: '… an ordinary page meanwhile', unit: 's', ours: others, limit: { most: 1 } },
      { name: '… longest block of the event loop', unit: 'ms', ours: blocked, limit: { most: LONGEST_BLOCK_MS } },
    ];
  },
};

/** Seconds until it was read, or was refused as `html-too-complex`. */
async function read(html: ReturnType<typeof openHtmlParser>, text: string): Promise<number> {
  const bytes = new TextEncoder().encode(text);
  const begun = performance.now();
  const page = { url: 'https://data.example.org/1', bytes, charset: undefined };
  await html.parse(page, new AbortController().signal).catch((error) => {
    if (error.status !== 'html-too-complex') throw error;
  });
  return secondsSince(begun);
}
