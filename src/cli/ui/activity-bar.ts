import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { Progress } from '../../records/activities/gathering.ts';
import { barLine, drawsBars, startProgress } from './progress.ts';
import { plural } from './table.ts';
import type { Terminal } from './terminal.ts';

interface ActivityBar {
  update(progress: Progress): void;
  end(): void;
}

/** Shows the progress, rate and time left of a run: as a bar on a terminal, else as a plain line every few seconds. */
export function startActivityBar(terminal: Terminal): ActivityBar {
  const progress = startProgress(terminal);
  const rate = startRate();
  const isDrawn = drawsBars(terminal);
  return {
    update(now) {
      const { step, done, total } = now;
      const text = describe(now, rate(now));
      if (!isDrawn) progress.show(`${step}: ${text}`);
      // A bar needs a known total.
      else progress.show(total === undefined ? `${step} ${text}` : barLine(terminal, step, { done, total, text }));
    },
    end: () => progress.end(),
  };
}

interface Rate {
  /** Records, or bytes, per second since the step began. */
  readonly perSecond: number;
  /** Seconds; undefined when the total is not known. */
  readonly left: number | undefined;
}

function startRate(): (progress: Progress) => Rate {
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

function describe({ step, attempted, done, total }: Progress, { perSecond, left }: Rate): string {
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
