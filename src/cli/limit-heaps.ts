import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage before the heap grows to a multiple of what is in use. With its defaults, posting a million
 * events took 450 MB, of which 35 MB were in use; with this, it takes about 250 MB, and a sixth more CPU time. Call it
 * once, before any thread is started: it applies to threads that are started later. See docs/performance.md.
 * @param growth what the old generation may grow by before it is collected, in percent of what is in use
 */
export function limitHeaps(growth: number): void {
  // By default it may become four times as large.
  setFlagsFromString(`--heap-growing-percent=${growth}`);
  // The young generation of the main thread does not grow; that of every other thread starts, and stays, with two
  // halves of 4 MB.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--min-semi-space-size=4');
  // Collecting such a small young generation takes less time than sharing the work with other threads.
  setFlagsFromString('--no-parallel-scavenge');
}
