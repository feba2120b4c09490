import type { MirrorProgress, MirrorStep } from '../../../client/mirror/mirror-options.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { startProgress } from '../../ui/progress.ts';
import { plural } from '../../ui/table.ts';
import type { Terminal } from '../../ui/terminal.ts';

const STEPS: Readonly<Record<MirrorStep, string>> = {
  comparing: 'Comparing',
  unpacking: 'Unpacking the Resource Dump',
  fetching: 'Fetching',
  checking: 'Checking',
};
/** Milliseconds between two lines of progress with --json. */
const LINE_MS = 5_000;

export interface MirrorBar {
  show(progress: MirrorProgress): void;
  /** Prints a line above the bar. @param event with --json, by default a notice */
  say(text: string, event?: object): void;
  end(): void;
}

/** A bar on a terminal, a line every few seconds elsewhere; with --json, lines of JSON on standard output. */
export function startMirrorBar(terminal: Terminal): MirrorBar {
  return terminal.json ? jsonLines(terminal) : bars(terminal);
}

function bars(terminal: Terminal): MirrorBar {
  let counting = startProgress(terminal);
  let bar = startCountBar(terminal);
  let isDrawn = false;
  const end = () => {
    counting.end();
    if (isDrawn) bar.end();
    isDrawn = false;
  };
  return {
    show({ step, done, total }) {
      if (total === 0) return counting.show(`${STEPS[step]}: ${plural(done, 'resource')}`);
      if (!isDrawn) {
        counting.end();
        bar = startCountBar(terminal);
        isDrawn = true;
      }
      bar.update(STEPS[step], done, total);
      if (done === total) end();
    },
    say(text) {
      end();
      counting = startProgress(terminal);
      terminal.say(text);
    },
    end,
  };
}

function jsonLines(terminal: Terminal): MirrorBar {
  let next = performance.now() + LINE_MS;
  const print = (event: object) => {
    // The result, which is printed later, reports that the output cannot be written.
    terminal.print('', event).catch(() => {});
  };
  return {
    show(progress) {
      if (performance.now() < next) return;
      next = performance.now() + LINE_MS;
      print({ event: 'progress', ...progress });
    },
    say: (text, event = { event: 'notice', message: text }) => print(event),
    end: () => {},
  };
}
