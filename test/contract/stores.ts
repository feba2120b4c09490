import type { Stores } from '../../src/stores/open-stores.ts';
import { catalogContract } from './catalog.ts';
import { changeLogContract } from './change-log.ts';
import { jobQueueContract } from './job-queue.ts';
import { resourceLogContract } from './resource-log.ts';
import { resourceStatesContract } from './resource-states.ts';
import { setStatisticsContract } from './set-statistics.ts';
import { storeFenceContract } from './store-fence.ts';
import { storeGaugeContract } from './store-gauge.ts';

/**
 * What all ports of a store promise, besides the committer (commits.ts). `open` gives stores on the same data as often
 * as it is called.
 */
export function storesContract(start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>): void {
  describe('the change log', () => changeLogContract(start));
  describe('the states of resources', () => resourceStatesContract(start));
  describe('the statistics of sets', () => setStatisticsContract(start));
  describe('the log and its maintenance', () => resourceLogContract(start));
  describe('the catalog', () => catalogContract(start));
  describe('the gauge of the store', () => storeGaugeContract(start));
  describe('the queue of jobs', () => jobQueueContract(start));
  describe('the fence', () => storeFenceContract(start));
}
