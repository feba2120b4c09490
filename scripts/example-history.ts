// The history of two small sets, from which the documents in sitemaps/examples/ are made.
import { createHash } from 'node:crypto';
import { type Change, decide } from '../src/core/change.ts';
import { keyOfPath, type ResourceKey } from '../src/core/key.ts';
import { encodeState, type Link, type Resource, type ResourceState } from '../src/core/resource.ts';
import { clockStamp, type Stamp } from '../src/core/stamp.ts';

/** What happened to one file: its text after it, or (no text) that it went. */
export interface Step {
  readonly time: string;
  readonly path: string;
  readonly text?: string;
  readonly mime?: string;
  readonly links?: readonly Link[];
}

/** The boundary before everything. */
export const EPOCH_START: Stamp = clockStamp(Date.parse('2026-02-28T12:00:00Z')) + 1;

export const HISTORIES = {
  maps: [
    { time: '2026-03-01T09:00:00Z', path: 'charts/north sea.txt', text: 'Soundings in fathoms.\n' },
    { time: '2026-03-01T09:00:00Z', path: 'charts/tides & currents.txt', text: 'Slack water at six.\n' },
    { time: '2026-03-02T16:30:12Z', path: 'charts/north sea.txt', text: 'Soundings in metres.\n' },
    { time: '2026-03-03T11:05:40Z', path: 'légende.txt', text: 'Blue: deep water.\n' },
    { time: '2026-03-04T08:15:00Z', path: 'charts/tides & currents.txt' },
  ],
  papers: [
    {
      time: '2026-03-01T10:00:00Z',
      path: '2025/dunes.json',
      text: '{"title":"Dunes that walk"}\n',
      mime: 'application/json',
      links: [{ rel: 'describedby', href: '/2025/dunes.xml', mime: 'application/vnd.example+xml' }],
    },
    {
      time: '2026-03-01T10:00:00Z',
      path: '2025/dunes.xml',
      text: '<paper>Dunes that walk</paper>\n',
      mime: 'application/vnd.example+xml',
      links: [{ rel: 'describes', href: '/2025/dunes.json', mime: 'application/json' }],
    },
    { time: '2026-03-05T12:00:30Z', path: '2026/tides.txt', text: 'Tides\n', mime: 'text/plain; charset=utf-8' },
    { time: '2026-03-06T07:45:10Z', path: '2026/tides.txt', text: 'Tides, 2\n', mime: 'text/plain; charset=utf-8' },
    { time: '2026-03-07T18:20:00Z', path: '2026/withdrawn.txt', text: 'A draft.\n' },
    { time: '2026-03-08T09:10:59Z', path: '2026/withdrawn.txt' },
  ],
} as const satisfies Record<string, readonly Step[]>;

/** Of a set with dumps, archives and a hub. */
export const DUMPED: readonly Step[] = [
  { time: '2026-03-01T09:00:00Z', path: 'fog.txt', text: 'Fog on the fjord.\n' },
  { time: '2026-03-01T09:00:00Z', path: 'ice.txt', text: 'Ice in May.\n' },
  { time: '2026-03-02T10:15:00Z', path: 'fog.txt', text: 'Fog on the fjord, second state.\n' },
  { time: '2026-03-05T14:40:20Z', path: 'ice.txt' },
];

/** Everything that changed, in order, and what there is at the end, in the order of the keys. */
export function foldSteps(steps: readonly Step[]): {
  readonly changes: readonly Change[];
  readonly resources: readonly Resource[];
} {
  const live = new Map<ResourceKey, Resource>();
  const changes: Change[] = [];
  for (const [number, step] of steps.entries()) {
    const key = keyOfPath(step.path);
    const state = stateOf(step);
    const known = live.get(key);
    const kind = decide(known && encodeState(known.state), state && encodeState(state));
    if (kind === undefined) throw new Error(`step ${number} of the examples changes nothing`);
    // Noticed shortly after the file's own time, which has whole seconds.
    const stamp = clockStamp(Date.parse(step.time)) + 412_306 + 2 * number;
    changes.push({ set: 1, key, kind, stamp, state, weight: 0, window: 1 });
    if (state === undefined) live.delete(key);
    else live.set(key, { key, state, stamp, created: known?.created ?? stamp });
  }
  return { changes, resources: [...live.values()].sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

function stateOf({ time, text, mime = 'text/plain', links }: Step): ResourceState | undefined {
  if (text === undefined) return undefined;
  const digest = (algorithm: string) => createHash(algorithm).update(text).digest('hex');
  return {
    lastmod: Date.parse(time) / 1000,
    length: Buffer.byteLength(text),
    hashes: { 'sha-256': digest('sha256'), md5: digest('md5') },
    mime,
    ...(links && { links }),
  };
}
