import { printableLine } from './printable.ts';
import type { Terminal } from './terminal.ts';

// Without a terminal, lines are rare: each of them stays.
const REDRAW_MS = 100;
const FIRST_PLAIN_LINE_MS = 1000;
const PLAIN_LINE_MS = 5000;
const CLEAR_LINE = '\r\u001b[K';

/** Shows the progress of long work: in one line on a terminal, else as a line every few seconds. */
export interface Progress {
  show(text: string): void;
  /** Clears the line. */
  end(): void;
}

export function startProgress({ stderr, json }: Terminal): Progress {
  const isTerminal = stderr.isTTY === true;
  let next = performance.now() + (isTerminal ? REDRAW_MS : FIRST_PLAIN_LINE_MS);
  let drawn = false;
  return {
    show(text) {
      const now = performance.now();
      if (json || now < next) return;
      next = now + (isTerminal ? REDRAW_MS : PLAIN_LINE_MS);
      drawn = isTerminal;
      const line = printableLine(text);
      stderr.write(isTerminal ? `${CLEAR_LINE}${line}` : `${line}\n`);
    },
    end() {
      if (drawn) stderr.write(CLEAR_LINE);
      drawn = false;
    },
  };
}
