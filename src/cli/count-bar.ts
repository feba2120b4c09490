import { SingleBar } from 'cli-progress';
import { startProgress } from './progress.ts';
import { formatCount } from './table.ts';
import type { Terminal } from './terminal.ts';

export interface CountBar {
  /** @param step what is being done, such as "Reading documents" */
  update(step: string, done: number, total: number): void;
  end(): void;
}

/** Shows how far work is whose size is known: as a bar on a terminal, else as a plain line every few seconds. */
export function startCountBar(terminal: Terminal): CountBar {
  return terminal.stderr.isTTY === true && !terminal.json ? drawBar(terminal) : printLines(terminal);
}

function printLines(terminal: Terminal): CountBar {
  const progress = startProgress(terminal);
  return {
    update: (step, done, total) => progress.tell(`${step}: ${formatCount(done)} of ${formatCount(total)}`),
    end: () => progress.end(),
  };
}

function drawBar({ stderr }: Terminal): CountBar {
  const stream = stderr as NodeJS.WriteStream;
  const bar = new SingleBar({ format: '{step} {bar} {count}', stream, clearOnComplete: true, hideCursor: true });
  let shown = '';
  return {
    update(step, done, total) {
      const count = `${formatCount(done)} of ${formatCount(total)}`;
      if (step !== shown) {
        if (shown !== '') bar.stop();
        shown = step;
        bar.start(total, done, { step, count });
      } else bar.update(done, { count });
    },
    end: () => bar.stop(),
  };
}
