import { startProgress } from './progress.ts';
import { RateEstimate } from './rate-estimate.ts';
import { formatCount } from './table.ts';
import type { Terminal } from './terminal.ts';
import { terminalBar } from './terminal-bar.ts';

export interface CountBar {
  /** @param step what is being done, such as "Reading documents" */
  update(step: string, done: number, total: number): void;
  end(): void;
}

/**
 * Shows the progress, rate and time left of work of known size: as a bar on a terminal, else as a plain line every few
 * seconds.
 */
export function startCountBar(terminal: Terminal): CountBar {
  return terminal.stderr.isTTY === true && !terminal.json ? drawBar(terminal) : printLines(terminal);
}

function printLines(terminal: Terminal): CountBar {
  const progress = startProgress(terminal);
  const estimate = new RateEstimate();
  return {
    update(step, done, total) {
      const rate = estimate.describe(step, done, total);
      const count = `${step}: ${formatCount(done)} of ${formatCount(total)}`;
      progress.show(rate === '' ? count : `${count}, ${rate}`);
    },
    end: () => progress.end(),
  };
}

function drawBar(terminal: Terminal): CountBar {
  const bar = terminalBar(terminal, '{step} {bar} {count} {rate}');
  const estimate = new RateEstimate();
  let shown = '';
  return {
    update(step, done, total) {
      const count = `${formatCount(done)} of ${formatCount(total)}`;
      const rate = estimate.describe(step, done, total);
      if (step !== shown) {
        if (shown !== '') bar.stop();
        shown = step;
        bar.start(total, done, { step, count, rate });
      } else bar.update(done, { count, rate });
    },
    end: () => bar.stop(),
  };
}
