import { formatBytes } from '../../lib/format-bytes.ts';
import type { Progress } from '../../pipeline/gathering.ts';
import { startProgress } from './progress.ts';
import { formatCount, plural } from './table.ts';
import type { Terminal } from './terminal.ts';
import { terminalBar } from './terminal-bar.ts';

export interface ActivityBar {
  update(progress: Progress): void;
  end(): void;
}

/** Shows how far a run is, how fast, and how long it still takes: as a bar on a terminal, else as a plain line every few seconds. */
export function startActivityBar(terminal: Terminal): ActivityBar {
  return terminal.stderr.isTTY === true && !terminal.json ? drawBar(terminal) : printLines(terminal);
}

function printLines(terminal: Terminal): ActivityBar {
  const progress = startProgress(terminal);
  const pace = startPace();
  return {
    update: (now) => progress.tell(`${now.step}: ${describe(now, pace(now))}`),
    end: () => progress.end(),
  };
}

function drawBar(terminal: Terminal): ActivityBar {
  const bar = terminalBar(terminal, '{step} {bar} {told}');
  const plain = startProgress(terminal);
  const pace = startPace();
  let shown = '';
  return {
    update(now) {
      const { step, done, total } = now;
      const told = describe(now, pace(now));
      // Where nobody knows how much there is, a bar would say nothing.
      if (total === undefined) return plain.tell(`${step} ${told}`);
      if (step === shown) return bar.update(done, { told });
      if (shown !== '') bar.stop();
      shown = step;
      bar.start(total, done, { step, told });
    },
    end() {
      plain.end();
      bar.stop();
    },
  };
}

interface Pace {
  /** Records, or bytes, a second since the step began. */
  readonly perSecond: number;
  /** Seconds; undefined when nobody can know. */
  readonly left: number | undefined;
}

function startPace(): (progress: Progress) => Pace {
  let step = '';
  let began = 0;
  return (progress) => {
    if (progress.step !== step) {
      step = progress.step;
      began = performance.now();
    }
    const { attempted, done, total } = progress;
    const seconds = Math.max(0.001, (performance.now() - began) / 1000);
    return {
      perSecond: (step === 'reading' ? attempted : done) / seconds,
      left: total === undefined || done === 0 ? undefined : (seconds * Math.max(0, total - done)) / done,
    };
  };
}

function describe({ step, attempted, done, total }: Progress, { perSecond, left }: Pace): string {
  const how =
    step === 'reading'
      ? `${plural(attempted, 'record')}, ${formatCount(Math.round(perSecond))}/s`
      : `${formatBytes(done)}${total === undefined ? '' : ` of ${formatBytes(total)}`}, ${formatBytes(Math.round(perSecond))}/s`;
  return left === undefined ? how : `${how}, ${formatDuration(left)} left`;
}

/** Seconds as `1:05:09` or `0:42`. */
function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
