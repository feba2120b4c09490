import type { ScanUnderWay } from './scan-metrics.ts';
import type { SourceFigures } from './source-metrics.ts';

/** A running server as a person wants to see it. */
export interface LiveFigures extends SourceFigures {
  /** That answer requests. */
  readonly processes: number;
  /** Since the server was started. */
  readonly uptimeSeconds: number;
  readonly requests: { readonly answered: number; readonly inFlight: number; readonly perSecond: number };
  readonly events: Readonly<Record<'applied' | 'unchanged' | 'rejected' | 'perSecond', number>>;
  readonly scanning: readonly ScanUnderWay[];
  readonly rootsInTrouble: number;
}

/** What processes that serve together tell as one: what each of them did is added. @param first tells of what they share */
export function together([first, ...others]: readonly [LiveFigures, ...LiveFigures[]]): LiveFigures {
  return others.reduce(addFigures, first);
}

function addFigures(all: LiveFigures, one: LiveFigures): LiveFigures {
  const { hits, misses } = one.cache;
  return {
    store: all.store,
    uptimeSeconds: all.uptimeSeconds,
    cache: { ...all.cache, hits: all.cache.hits + hits, misses: all.cache.misses + misses },
    // Each knows those pages that were asked of it.
    pages: each(all.pages, one.pages, Math.max),
    processes: all.processes + one.processes,
    requests: each(all.requests, one.requests, add),
    events: each(all.events, one.events, add),
    scanning: [...all.scanning, ...one.scanning],
    rootsInTrouble: all.rootsInTrouble + one.rootsInTrouble,
  };
}

/** What stays true when a process has ended: what it has counted. */
export function countedBefore(live: LiveFigures): LiveFigures {
  return {
    ...live,
    pages: { current: 0, outOfDate: 0 },
    processes: 0,
    requests: { ...live.requests, inFlight: 0, perSecond: 0 },
    events: { ...live.events, perSecond: 0 },
    scanning: [],
    rootsInTrouble: 0,
  };
}

type Combine = (one: number, other: number) => number;

function each<Name extends string>(one: Counts<Name>, other: Counts<Name>, combine: Combine): Counts<Name> {
  const names = Object.keys(one) as Name[];
  return Object.fromEntries(names.map((name) => [name, combine(one[name], other[name])])) as Counts<Name>;
}

type Counts<Name extends string> = Readonly<Record<Name, number>>;

function add(one: number, other: number): number {
  return one + other;
}
