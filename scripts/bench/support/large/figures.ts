import type { Figure } from '../../figure.ts';
import type { KeyOrder } from '../events.ts';
import { MOST_MEMORY_MB } from '../peak-memory.ts';
import { median } from '../spread.ts';
import type { Command } from './commands.ts';
import type { Measured } from './measure-source.ts';
import type { Filled } from './post-made.ts';

/** How much longer one of many may take than one of fewer, so that the work counts as linear. */
const LINEAR = 1.3;
const LEAST_RATE = 0.8;
const MOST_START_SECONDS = 5;
/** The page, and the index. */
const CHANGED_DOCUMENTS = 2;

/** Of the last request compared with the first. */
export function postingFigures(store: string, count: number, order: KeyOrder, filled: Filled): readonly Figure[] {
  const { rates, processor, memory } = filled;
  const events = Math.ceil(count / rates.length).toLocaleString('en');
  const name = `posting the last ${events} of ${count.toLocaleString('en')} on ${store}, keys ${order}`;
  const first = (values: readonly number[]) => ({ name: 'the first as many', values: [values[0]!] });
  return [
    { name, unit: 'events/s', ours: [rates.at(-1)!], baseline: first(rates), limit: { least: LEAST_RATE * rates[0]! } },
    { name: '… processors for an event', unit: 'µs', ours: [processor.at(-1)!], baseline: first(processor) },
    { name: '… peak memory', unit: 'MB', ours: [memory], limit: { most: MOST_MEMORY_MB } },
  ];
}

/** The figures of the largest source, with the smaller ones as baselines. */
export function figuresOf(
  store: string,
  sources: readonly [small: Measured, middle: Measured, large: Measured],
): Figure[] {
  const [small, middle, large] = sources;
  const of = `of ${large.count.toLocaleString('en')} on ${store}`;
  const name = `changing one ${of} until in both lists, p95`;
  const changed = { name: `among ${small.count.toLocaleString('en')}`, values: small.changes };
  return [
    { name: `store ${of}, for a resource`, unit: 'bytes', ours: [large.resourceBytes] },
    { name: '… for a further change', unit: 'bytes', ours: [large.changeBytes] },
    { name: `start ${of} until ready`, unit: 's', ours: large.starts.first, limit: { most: MOST_START_SECONDS } },
    { name: '… of a second server', unit: 's', ours: large.starts.second, limit: { most: MOST_START_SECONDS } },
    { name, unit: 'ms', ours: large.changes, baseline: changed, limit: { most: LINEAR * median(small.changes) } },
    ...linear(`Resource List ${of} from nothing`, [middle, large], ({ list }) => list),
    {
      name: `… bytes of its pages as gzip, for a resource`,
      unit: 'bytes',
      ours: [large.list.bytes / large.count],
    },
    {
      name: `… documents rendered after one change`,
      unit: '',
      ours: [large.changed.rendered],
      limit: { most: CHANGED_DOCUMENTS },
    },
    ...linear(`comparing a list ${of} with an equal copy`, [middle, large], ({ compare }) => compare),
    ...linear(`verify ${of}`, [middle, large], ({ verify }) => verify),
    ...linear(`archive ${of}`, [middle, large], ({ archive }) => archive),
    ...linear(`rebuild ${of} from the archive`, [middle, large], ({ rebuild }) => rebuild),
  ];
}

/** Time for a resource, compared with that of the smaller source, and memory. The limit is for processor time. */
function linear(
  name: string,
  [smaller, larger]: readonly [Measured, Measured],
  commandOf: (measured: Measured) => Command,
): readonly Figure[] {
  const figure = (name: string, timeOf: (command: Command) => number) => {
    const [base, ours] = [smaller, larger].map((one) => (timeOf(commandOf(one)) / one.count) * 1e6) as [number, number];
    const baseline = { name: `of ${smaller.count.toLocaleString('en')}`, values: [base] };
    return { name, unit: 'µs', ours: [ours], baseline };
  };
  const processor = figure('… of processors', ({ processor }) => processor);
  return [
    figure(`${name}, for a resource`, ({ seconds }) => seconds),
    { ...processor, limit: { most: LINEAR * processor.baseline.values[0]! } },
    { name: '… peak memory', unit: 'MB', ours: [commandOf(larger).memory], limit: { most: MOST_MEMORY_MB } },
  ];
}
