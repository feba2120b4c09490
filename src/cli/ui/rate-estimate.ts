import { formatCount } from '../../lib/format-count.ts';

/**
 * The rate of a step of known size, and the time left: `12,000/s, 3 min left`. Measured from the first call of a step.
 */
export class RateEstimate {
  #step = '';
  #began = 0;
  #from = 0;

  describe(step: string, done: number, total: number): string {
    if (step !== this.#step) {
      this.#step = step;
      this.#began = performance.now();
      this.#from = done;
    }
    const seconds = (performance.now() - this.#began) / 1000;
    const rate = (done - this.#from) / seconds;
    if (seconds < 0.5 || rate <= 0) return '';
    return `${formatCount(Math.round(rate))}/s, ${describeSeconds((total - done) / rate)} left`;
  }
}

/** Rounded: it is an estimate. */
function describeSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
