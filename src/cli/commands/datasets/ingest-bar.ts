import type { ArchivingProgress } from '../../../datasets/archiving.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { barLine, drawsBars, startProgress } from '../../ui/progress.ts';
import { plural } from '../../ui/table.ts';
import type { Terminal } from '../../ui/terminal.ts';

/** Milliseconds before a rate is shown. */
const FIRST_RATE_MS = 500;

export interface IngestBar {
  /** A dataset that has begun. Several may be under way. */
  begin(): DatasetBar;
  /** Clears it. */
  end(): void;
}

interface DatasetBar {
  step(text: string): void;
  progress(progress: ArchivingProgress): void;
  ended(): void;
}

interface UnderWay {
  text: string;
  at: ArchivingProgress | undefined;
}

/**
 * Shows datasets that are ingested: of one its step, then `3 of 12 files, 10 MB of 100 MB, 5 MB/s, 18 s left`; of
 * several the sums.
 */
export function startIngestBar(terminal: Terminal): IngestBar {
  const progress = startProgress(terminal);
  const underWay = new Set<UnderWay>();
  let began = 0;
  const done = { datasets: 0, files: 0, bytes: 0 };
  const show = () => {
    const [first] = underWay;
    if (first === undefined) return;
    if (underWay.size + done.datasets > 1) return progress.show(sumText(done, [...underWay], began));
    if (first.at === undefined) return progress.show(first.text);
    const { bytes, totalBytes = 0 } = first.at;
    const text = progressText(first.at, rateOf(bytes, began));
    const isBar = totalBytes > 0 && drawsBars(terminal);
    const bar = isBar ? barLine(terminal, 'Fetching', { done: bytes, total: totalBytes, text }) : `Fetching: ${text}`;
    progress.show(bar);
  };
  return {
    begin() {
      const own: UnderWay = { text: '', at: undefined };
      underWay.add(own);
      return {
        step(text) {
          own.text = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
          show();
        },
        progress(at) {
          began ||= performance.now();
          own.at = at;
          show();
        },
        ended() {
          underWay.delete(own);
          done.datasets += 1;
          done.files += own.at?.files ?? 0;
          done.bytes += own.at?.bytes ?? 0;
          show();
        },
      };
    },
    end: () => progress.end(),
  };
}

function sumText(
  done: { readonly datasets: number; readonly files: number; readonly bytes: number },
  underWay: readonly UnderWay[],
  began: number,
): string {
  const sum = (of: (at: ArchivingProgress) => number) => underWay.reduce((all, { at }) => all + (at ? of(at) : 0), 0);
  const [files, bytes] = [done.files + sum((at) => at.files), done.bytes + sum((at) => at.bytes)];
  const counts = [plural(done.datasets, 'dataset'), `${underWay.length} under way`, plural(files, 'file')];
  const rate = rateOf(bytes, began);
  return `Ingesting: ${[...counts, formatBytes(bytes), ...(rate > 0 ? [rateText(rate)] : [])].join(', ')}`;
}

function progressText({ files, totalFiles, bytes, totalBytes }: ArchivingProgress, rate: number): string {
  const count = totalFiles === undefined ? formatCount(files) : `${formatCount(files)} of ${formatCount(totalFiles)}`;
  const size = totalBytes === undefined ? formatBytes(bytes) : `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
  const left = totalBytes === undefined || rate === 0 ? undefined : Math.ceil((totalBytes - bytes) / rate);
  const rated = rate === 0 ? [] : [rateText(rate)];
  return [`${count} files`, size, ...rated, ...(left === undefined ? [] : [`${formatCount(left)} s left`])].join(', ');
}

/** Bytes a second; 0 before it is known. */
function rateOf(bytes: number, began: number): number {
  const passed = performance.now() - began;
  return passed < FIRST_RATE_MS ? 0 : (bytes / passed) * 1000;
}

function rateText(rate: number): string {
  return `${formatBytes(Math.round(rate))}/s`;
}
