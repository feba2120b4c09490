import { printableLine } from './printable.ts';
import type { Terminal } from './terminal.ts';

// Often enough to look alive, seldom enough to cost nothing; without a terminal every line stays.
const REDRAW = 100;
const FIRST_PLAIN_LINE = 1000;
const PLAIN_LINE = 5000;
const CLEAR_LINE = '\r\u001b[K';

/** Tells how far something long has come: in one line on a terminal, else as a line every few seconds. */
export interface Progress {
  tell(text: string): void;
  /** Clears the line. */
  end(): void;
}

export function startProgress({ stderr, json }: Terminal): Progress {
  const isTerminal = stderr.isTTY === true;
  let next = performance.now() + (isTerminal ? REDRAW : FIRST_PLAIN_LINE);
  let drawn = false;
  return {
    tell(text) {
      const now = performance.now();
      if (json || now < next) return;
      next = now + (isTerminal ? REDRAW : PLAIN_LINE);
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
