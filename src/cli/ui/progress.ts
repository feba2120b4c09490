import { printableLine } from './printable.ts';
import type { Terminal } from './terminal.ts';

// Without a terminal, lines are rare: each of them stays.
const FIRST_PLAIN_LINE_MS = 1000;
const PLAIN_LINE_MS = 5000;
const BAR_WIDTH = 20;

/** Shows the progress of long work: in one line on a terminal, else as a line every few seconds. */
export interface Progress {
  show(text: string): void;
  /** Clears the line. */
  end(): void;
}

export function startProgress(terminal: Terminal): Progress {
  const { stderr, json, line } = terminal;
  if (json) return { show: () => {}, end: () => {} };
  if (stderr.isTTY === true) return { show: (text) => line.show(text), end: () => line.end() };
  return printLines(terminal);
}

/** By a timer, so that also work that reports nothing for long (a file of 100 GB) shows that it goes on. */
function printLines({ stderr }: Terminal): Progress {
  let last = '';
  let timer: NodeJS.Timeout | undefined;
  const print = () => {
    stderr.write(`${last}\n`);
    timer = setTimeout(print, PLAIN_LINE_MS).unref();
  };
  return {
    show(text) {
      last = printableLine(text);
      timer ??= setTimeout(print, FIRST_PLAIN_LINE_MS).unref();
    },
    end() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** A bar of characters, for a line on a terminal. */
export function bar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.round(share * BAR_WIDTH);
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
}

/** Whether progress is drawn as a bar. */
export function drawsBars({ stderr, json }: Terminal): boolean {
  return stderr.isTTY === true && !json;
}
