import { type Aggregator, AggregatorRegistry, type Registry } from 'prom-client';
import { countedBefore, type LiveFigures, together } from './live-figures.ts';

/** A metric with its values, as prom-client gives it away. Its declared types name kinds of metrics by numbers, which they are not. */
export interface ScrapedMetric {
  readonly name: string;
  readonly type: string;
  readonly aggregator: Aggregator;
}

/** What one of the processes tells of itself that serve a source together; it can be sent to another. */
export interface ProcessFigures {
  /** 0 is the first. */
  readonly number: number;
  readonly metrics: readonly ScrapedMetric[];
  readonly live: LiveFigures;
}

/** Of what was counted before: after all others, so that nothing is taken for what holds now. */
const BEFORE = Number.POSITIVE_INFINITY;

/** One text of all of them, in the exposition format of Prometheus. @param figures in the order of their numbers */
export function exposition(figures: readonly ProcessFigures[]): Promise<string> {
  return aggregated(figures).metrics();
}

/**
 * What processes have counted, together: it holds on when they have ended. A counter that fell would be taken for a server that has
 * started anew.
 */
export async function countsOf(...all: readonly [ProcessFigures, ...ProcessFigures[]]): Promise<ProcessFigures> {
  const counters = (await scraped(aggregated(all))).filter(({ type }) => type === 'counter' || type === 'histogram');
  const [first, ...others] = all.map(({ live }) => countedBefore(live));
  return { number: BEFORE, metrics: counters, live: together([first!, ...others]) };
}

/** The metrics of a registry with their values. */
export async function scraped(registry: Registry): Promise<readonly ScrapedMetric[]> {
  const metrics: unknown = await registry.getMetricsAsJSON();
  return metrics as readonly ScrapedMetric[];
}

function aggregated(figures: readonly ProcessFigures[]): Registry {
  return AggregatorRegistry.aggregate(figures.map(({ metrics }) => metrics.map(named)));
}

/** prom-client leaves out when a process began, and takes the mean of delays, which hides the one that is late. */
function named(metric: ScrapedMetric): ScrapedMetric {
  switch (metric.aggregator) {
    case 'omit':
      return { ...metric, aggregator: 'first' };
    case 'average':
      return { ...metric, aggregator: 'max' };
    default:
      return metric;
  }
}
