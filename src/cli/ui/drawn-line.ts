import type { Writable } from 'node:stream';
import { printableLine } from './printable.ts';

const REDRAW_MS = 100;
export const USUAL_COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[K';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

export type TerminalStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * The last line of a terminal's output, which is redrawn again and again. While it is shown, the cursor is hidden; it
 * is shown again at the end, or when the process exits earlier, as at a second signal.
 */
export class DrawnLine {
  readonly #stream: TerminalStream;
  #text = '';
  #isShown = false;
  #isLeft = false;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  readonly #onExit = () => this.end();

  constructor(stream: TerminalStream) {
    this.#stream = stream;
  }

  /** Draws the text in place of the previous one, at most ten times a second; what does not fit is cut. */
  show(text: string): void {
    if (this.#isLeft) return;
    this.#text = printableLine(text);
    const due = this.#drawnAt + REDRAW_MS - performance.now();
    if (due <= 0) this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), due).unref();
  }

  /** Writes other output above the line. */
  writeAbove(write: () => void): void {
    if (this.#isShown) this.#stream.write(CLEAR_LINE);
    write();
    if (this.#isShown) this.#draw();
  }

  /** Removes the line. */
  end(): void {
    this.#stop(CLEAR_LINE);
  }

  /** Leaves the line unchanged for good: later output is below it, and it is not drawn again. */
  leave(): void {
    this.#isLeft = true;
    this.#stop('\n');
  }

  #stop(last: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#stream.write(`${last}${SHOW_CURSOR}`);
    process.off('exit', this.#onExit);
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isShown) process.on('exit', this.#onExit);
    const before = this.#isShown ? '' : HIDE_CURSOR;
    this.#isShown = true;
    this.#drawnAt = performance.now();
    const { columns = USUAL_COLUMNS } = this.#stream;
    // A line that fills the last column would wrap on some terminals.
    this.#stream.write(`${before}${CLEAR_LINE}${this.#text.slice(0, columns - 1)}`);
  }
}
