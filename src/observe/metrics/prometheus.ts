import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
type Library = typeof import('prom-client');

/**
 * The metrics library without the metrics of the process, which are loaded when metrics are first read: they take three
 * quarters of the load time, with a library for traces that is not used. Every command loads this file.
 */
export const { Counter, Gauge, Histogram, Registry }: Pick<Library, 'Counter' | 'Gauge' | 'Histogram' | 'Registry'> = {
  Counter: require('prom-client/lib/counter'),
  Gauge: require('prom-client/lib/gauge'),
  Histogram: require('prom-client/lib/histogram'),
  Registry: require('prom-client/lib/registry'),
};
