import { Pace } from './pace.ts';
import { startProgress } from './progress.ts';
import { formatCount } from './table.ts';
import type { Terminal } from './terminal.ts';
import { terminalBar } from './terminal-bar.ts';

export interface CountBar {
  /** @param step what is being done, such as "Reading documents" */
  update(step: string, done: number, total: number): void;
  end(): void;
}

/** Shows how far work is whose size is known, how quick it is, and how long it will take: as a bar on a terminal, else as a plain line every few seconds. */
export function startCountBar(terminal: Terminal): CountBar {
  return terminal.stderr.isTTY === true && !terminal.json ? drawBar(terminal) : printLines(terminal);
}

function printLines(terminal: Terminal): CountBar {
  const progress = startProgress(terminal);
  const pace = new Pace();
  return {
    update(step, done, total) {
      const quick = pace.tell(step, done, total);
      const told = `${step}: ${formatCount(done)} of ${formatCount(total)}`;
      progress.tell(quick === '' ? told : `${told}, ${quick}`);
    },
    end: () => progress.end(),
  };
}

function drawBar(terminal: Terminal): CountBar {
  const bar = terminalBar(terminal, '{step} {bar} {count} {pace}');
  const paces = new Pace();
  let shown = '';
  return {
    update(step, done, total) {
      const count = `${formatCount(done)} of ${formatCount(total)}`;
      const pace = paces.tell(step, done, total);
      if (step !== shown) {
        if (shown !== '') bar.stop();
        shown = step;
        bar.start(total, done, { step, count, pace });
      } else bar.update(done, { count, pace });
    },
    end: () => bar.stop(),
  };
}
