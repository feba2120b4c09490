import { formatCount } from '../../lib/format-count.ts';
import { barLine, drawsBars, startProgress } from './progress.ts';
import { RateEstimate } from './rate-estimate.ts';
import type { Terminal } from './terminal.ts';

export interface CountBar {
  /**
   * @param step the current work, such as "Reading documents"
   * @param total undefined when it is not known: then there is no bar
   */
  update(step: string, done: number, total: number | undefined): void;
  /** @param reason why the work has not started */
  waits(reason: string): void;
  end(): void;
}

/**
 * Shows the progress, rate and time left of work of known size: as a bar on a terminal, else as a plain line every few
 * seconds.
 */
export function startCountBar(terminal: Terminal): CountBar {
  const progress = startProgress(terminal);
  const estimate = new RateEstimate();
  const isDrawn = drawsBars(terminal);
  return {
    update(step, done, total) {
      if (total === undefined) return progress.show(`${step}: ${formatCount(done)} so far`);
      const rate = estimate.describe(step, done, total);
      const count = `${formatCount(done)} of ${formatCount(total)}`;
      if (isDrawn) progress.show(barLine(terminal, step, { done, total, text: `${count} ${rate}` }));
      else progress.show(`${step}: ${rate === '' ? count : `${count}, ${rate}`}`);
    },
    waits: (reason) => progress.show(`Waits: ${reason}`),
    end: () => progress.end(),
  };
}
