import { formatCount } from '../../../lib/format-count.ts';
import type { JobProgress } from '../../../stores/job.ts';
import { barLine, drawsBars, startProgress } from '../../ui/progress.ts';
import { RateEstimate } from '../../ui/rate-estimate.ts';
import type { Terminal } from '../../ui/terminal.ts';

interface HarvestBar {
  update(progress: JobProgress): void;
  end(): void;
}

/** Shows the progress of a harvest: `2,000 of 5,000 records in 2 pages, 900/s, 4 s left`. */
export function startHarvestBar(terminal: Terminal): HarvestBar {
  const progress = startProgress(terminal);
  const estimate = new RateEstimate();
  let [step, began] = ['', performance.now()];
  const rateOf = (done: number, total: number | undefined): string => {
    if (total !== undefined) return estimate.describe(step, done, total);
    const seconds = (performance.now() - began) / 1000;
    return seconds < 0.5 || done === 0 ? '' : `${formatCount(Math.round(done / seconds))}/s`;
  };
  return {
    update({ text = '', done, total }) {
      if (done === undefined) return progress.show(text);
      // The same words with other numbers are the same step.
      const name = text.replaceAll(/\d+/g, '');
      if (name !== step) [step, began] = [name, performance.now()];
      const count = total === undefined ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`;
      const line = [`${count} ${text}`, rateOf(done, total)].filter((part) => part !== '').join(', ');
      const isBar = total !== undefined && drawsBars(terminal);
      progress.show(isBar ? barLine(terminal, 'Harvesting', { done, total, text: line }) : `Harvesting: ${line}`);
    },
    end: () => progress.end(),
  };
}
