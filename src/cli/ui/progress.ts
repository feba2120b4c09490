import { USUAL_COLUMNS } from './drawn-line.ts';
import { printableLine } from './printable.ts';
import type { Terminal } from './terminal.ts';

// Without a terminal, lines are rare, since all of them stay.
const FIRST_PLAIN_LINE_MS = 1000;
const PLAIN_LINE_MS = 5000;
const BAR_WIDTH = 20;
const LEAST_BAR_WIDTH = 5;

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

/** Uses a timer, so that work that reports nothing for long (a file of 100 GB) also shows that it continues. */
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

/** A line for a terminal, with a bar in the room besides the text; without a bar when there is no room. */
export function barLine({ stderr }: Terminal, step: string, { done, total, text }: BarLine): string {
  const room = (stderr.columns ?? USUAL_COLUMNS) - 1 - step.length - text.length - 2;
  const width = Math.min(BAR_WIDTH, room);
  if (width < LEAST_BAR_WIDTH) return `${step} ${text}`;
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.round(share * width);
  return `${step} ${'█'.repeat(full)}${'░'.repeat(width - full)} ${text}`;
}

interface BarLine {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

/** Whether progress is drawn as a bar. */
export function drawsBars({ stderr, json }: Terminal): boolean {
  return stderr.isTTY === true && !json;
}
