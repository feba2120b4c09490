// A source as a library may have it, to show its pages: some collections with a month of history. Always the same,
// but for the time.
import type { App } from '../src/app.ts';
import { entryWeight } from '../src/core/entry-weight.ts';
import { keyOfPath } from '../src/core/key.ts';
import type { ResourceState } from '../src/core/resource.ts';
import type { ResourceSet } from '../src/core/resource-set.ts';
import { boundaryBefore } from '../src/core/stamp.ts';
import { originOfRoot } from '../src/core/stored-set.ts';

interface Collection {
  readonly slug: string;
  readonly title: string;
  readonly urlPrefix: string;
  /** How many resources there are at first, and how many changes there are on a working day. */
  readonly resources: number;
  readonly changesPerDay: number;
  readonly mime: string;
  /** Bytes of a resource, about. */
  readonly length: number;
  readonly pathOf: (number: number) => string;
}

const COLLECTIONS: readonly Collection[] = [
  {
    slug: 'maps',
    title: 'Maps and town plans, 1550–1900',
    urlPrefix: 'https://maps.example.org/items/',
    resources: 18_204,
    changesPerDay: 160,
    mime: 'image/tiff',
    length: 84_000_000,
    pathOf: (n) => `${REGIONS[n % REGIONS.length]}/${1550 + ((n * 7) % 350)}/sheet-${String(n).padStart(5, '0')}.tif`,
  },
  {
    slug: 'newspapers',
    title: 'Digitised newspapers',
    urlPrefix: 'https://newspapers.example.org/issues/',
    resources: 26_317,
    changesPerDay: 420,
    mime: 'application/pdf',
    length: 6_200_000,
    pathOf: (n) => {
      const date = new Date(Date.UTC(1848, 2, 1 + Math.floor(n / 3)));
      return `${PAPERS[n % PAPERS.length]}/${date.toISOString().slice(0, 10).replaceAll('-', '/')}.pdf`;
    },
  },
  {
    slug: 'manuscripts',
    title: 'Medieval manuscripts',
    urlPrefix: 'https://manuscripts.example.org/',
    resources: 3_962,
    changesPerDay: 12,
    mime: 'application/tei+xml',
    length: 410_000,
    pathOf: (n) => `Cod. ${100 + Math.floor(n / 24)}/fol. ${(n % 24) + 1}${n % 2 === 0 ? 'r' : 'v'}.xml`,
  },
  {
    slug: 'theses',
    title: 'Theses and dissertations',
    urlPrefix: 'https://repository.example.org/theses/',
    resources: 9_548,
    changesPerDay: 35,
    mime: 'application/pdf',
    length: 3_700_000,
    pathOf: (n) => `${1998 + (n % 28)}/${String(10_000 + n)}/dissertation.pdf`,
  },
  {
    slug: 'portraits',
    title: 'Portrait collection',
    urlPrefix: 'https://images.example.org/portraits/',
    resources: 7_120,
    changesPerDay: 8,
    mime: 'image/jp2',
    length: 21_000_000,
    pathOf: (n) => `P-${String(n).padStart(6, '0')}.jp2`,
  },
];
const REGIONS = ['alps', 'baltic', 'bohemia', 'danube', 'rhine', 'saxony', 'silesia'];
const PAPERS = ['abendblatt', 'courier', 'tagblatt'];

const DAY = 86_400_000;
const DAYS = 32;

interface Step {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly set: ResourceSet;
  readonly path: string;
  readonly state: ResourceState | undefined;
}

/** Fills an empty source. @param now milliseconds since 1970 */
export async function fillSampleSource(app: App, now: number): Promise<void> {
  const begin = now - (DAYS + 3) * DAY;
  const epochStart = boundaryBefore(begin * 1000);
  const random = randomNumbers(20_261_121);
  const steps: Step[] = [];
  for (const collection of COLLECTIONS) {
    const { slug, title, urlPrefix } = collection;
    const set = await app.sets.add({ slug, title, urlPrefix, epochStart, pageEntries: 5_000 });
    steps.push(...historyOf(collection, { set, begin, now, random }));
  }
  steps.sort((a, b) => a.time - b.time);
  for (let at = 0; at < steps.length; at += 5_000) {
    await app.updater.post(steps.slice(at, at + 5_000).map(toEvent));
  }
  await app.sets.add({
    slug: 'sound-archive',
    title: 'Sound archive',
    origin: originOfRoot(app.configuration.dataFolder),
  });
}

function toEvent({ time, set, path, state }: Step) {
  const key = keyOfPath(path);
  return { set: set.id, key, state, weight: entryWeight(set.urlPrefix, key, state), time: Math.floor(time) * 1000 };
}

interface Living {
  readonly set: ResourceSet;
  readonly begin: number;
  readonly now: number;
  readonly random: () => number;
}

/** First everything that was there already, then, on working days and in working hours, what people do. */
function historyOf(collection: Collection, { set, begin, now, random }: Living): readonly Step[] {
  const { resources, changesPerDay, pathOf } = collection;
  const steps: Step[] = [];
  const state = (time: number) => stateOf(collection, time, random);
  for (let n = 0; n < resources; n++) {
    const time = begin + (n / resources) * DAY;
    steps.push({ time, set, path: pathOf(n), state: state(time - random() * 900 * DAY) });
  }
  let next = resources;
  for (let day = begin + 3 * DAY; day <= now; day += DAY) {
    // Whenever it is made, today is a Thursday: a weekend would leave the plot of the last hours empty.
    const weekday = (4 + 7_000 - Math.floor(now / DAY) + Math.floor(day / DAY)) % 7;
    const isWorkday = weekday > 0 && weekday < 6;
    const count = Math.round(changesPerDay * (isWorkday ? 0.5 + random() : 0.06 * random()));
    for (let at = 0; at < count; at++) {
      // Most work is done in the middle of the day.
      const hour = 7 + 5.5 * (random() + random());
      const time = day - (day % DAY) + hour * 3_600_000;
      if (time > now - 20_000) continue;
      const what = random();
      const some = pathOf(Math.floor(random() * resources));
      if (what < 0.56) steps.push({ time, set, path: pathOf(next++), state: state(time) });
      else if (what < 0.9) steps.push({ time, set, path: some, state: state(time) });
      else steps.push({ time, set, path: some, state: undefined });
    }
  }
  return steps;
}

function stateOf({ mime, length }: Collection, time: number, random: () => number): ResourceState {
  const digest = Array.from({ length: 8 }, () =>
    Math.floor(random() * 0xffffffff)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return {
    mime,
    length: Math.round(length * (0.4 + 1.2 * random())),
    lastmod: Math.floor(time / 1000),
    hashes: { 'sha-256': digest },
  };
}

/** Always the same numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
