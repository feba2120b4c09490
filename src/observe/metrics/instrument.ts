import type * as prom from 'prom-client';
import { Counter, Gauge, Histogram } from './prometheus.ts';

/** The name, help and labels of a metric. */
export interface About<Label extends string = never> {
  readonly name: `tidemark_${string}`;
  readonly help: string;
  readonly labels?: readonly Label[];
}

/** Makes the metrics of one registry; each is made once. */
export class Instruments {
  readonly #registry: prom.Registry;

  constructor(registry: prom.Registry) {
    this.#registry = registry;
  }

  counter<Label extends string = never>({ name, help, labels = [] }: About<Label>): prom.Counter<Label> {
    return new Counter({ name, help, labelNames: labels, registers: [this.#registry] });
  }

  /** Makes a counter whose values are counted elsewhere: `count` sets them at each scrape. */
  countedElsewhere<Label extends string = never>(
    { name, help, labels = [] }: About<Label>,
    count: (counter: prom.Counter<Label>) => void,
  ): void {
    const counter: prom.Counter<Label> = new Counter({
      name,
      help,
      labelNames: labels,
      registers: [this.#registry],
      collect: () => {
        counter.reset();
        count(counter);
      },
    });
  }

  gauge<Label extends string = never>({ name, help, labels = [] }: About<Label>): prom.Gauge<Label> {
    return new Gauge({ name, help, labelNames: labels, registers: [this.#registry] });
  }

  /** Makes a gauge whose value is read at each scrape. */
  gaugeOf({ name, help }: About, value: () => number): void {
    const gauge: prom.Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: () => gauge.set(value()),
    });
  }

  /** @param buckets upper bounds, in the unit at the end of the name */
  histogram<Label extends string = never>(
    { name, help, labels = [] }: About<Label>,
    buckets: readonly number[],
  ): prom.Histogram<Label> {
    return new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [this.#registry] });
  }
}
