import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { ContentRoot } from '../../sources/content-root.ts';
import type { SyncProgress } from '../../sources/sync-counter.ts';
import { barLine, drawsBars, startProgress } from './progress.ts';
import { plural } from './table.ts';
import type { Terminal } from './terminal.ts';

export interface ScanBar {
  update(progress: SyncProgress): void;
  end(): void;
}

/** Shows the progress of a scan: as a bar on a terminal, else as a plain line every few seconds. */
export function startScanBar(terminal: Terminal, root: ContentRoot): ScanBar {
  return drawsBars(terminal) ? drawBar(terminal, root) : printLines(terminal);
}

function printLines(terminal: Terminal): ScanBar {
  const progress = startProgress(terminal);
  const rateOf = startRate();
  const describe = ({ files, hashed, bytes }: SyncProgress) =>
    `Scanning: ${plural(files, 'file')}${hashed === 0 ? '' : `, ${formatCount(hashed)} hashed (${formatBytes(bytes)}), ${rateOf(bytes)}`}`;
  return {
    update: (now) => progress.show(describe(now)),
    end: () => progress.end(),
  };
}

function drawBar(terminal: Terminal, root: ContentRoot): ScanBar {
  const progress = startProgress(terminal);
  const rateOf = startRate();
  const counted = startCounting(root);
  const update = ({ files, bytes }: SyncProgress): void => {
    const found = Math.max(counted.files, files);
    const count = `${formatCount(files)} of ${formatCount(found)} files`;
    const text = bytes === 0 ? count : `${count}, ${formatBytes(bytes)} hashed, ${rateOf(bytes)}`;
    progress.show(barLine(terminal, 'Scanning', { done: files, total: found, text }));
  };
  return {
    update,
    end() {
      counted.end();
      progress.end();
    },
  };
}

/**
 * A scan does not know how many files it will find, so they are counted at the same time: listing is much faster than
 * hashing.
 */
function startCounting(root: ContentRoot): { readonly files: number; end(): void } {
  const counted = {
    files: 0,
    ended: false,
    end() {
      this.ended = true;
    },
  };
  const count = async (): Promise<void> => {
    for await (const batch of root.list()) {
      counted.files += batch.length;
      if (counted.ended) return;
    }
  };
  // The scan itself reports problems of the root.
  count().catch(() => {});
  return counted;
}

/** Returns a function that returns bytes per second since the start. */
function startRate(): (bytes: number) => string {
  const began = performance.now();
  return (bytes) => `${formatBytes(Math.round((bytes * 1000) / Math.max(1, performance.now() - began)))}/s`;
}
