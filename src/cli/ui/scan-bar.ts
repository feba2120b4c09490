import { formatBytes } from '../../lib/format-bytes.ts';
import type { ContentRoot } from '../../sources/content-root.ts';
import type { SyncProgress } from '../../sources/sync-counter.ts';
import { startProgress } from './progress.ts';
import { formatCount, plural } from './table.ts';
import type { Terminal } from './terminal.ts';
import { terminalBar } from './terminal-bar.ts';

export interface ScanBar {
  update(progress: SyncProgress): void;
  end(): void;
}

const FORMAT = 'Scanning {bar} {files} of {found} files, {bytes} hashed, {rate}';

/** Shows the progress of a scan: as a bar on a terminal, else as a plain line every few seconds. */
export function startScanBar(terminal: Terminal, root: ContentRoot): ScanBar {
  return terminal.stderr.isTTY === true && !terminal.json ? drawBar(terminal, root) : printLines(terminal);
}

function printLines(terminal: Terminal): ScanBar {
  const progress = startProgress(terminal);
  const rateOf = startRate();
  return {
    update({ files, hashed, bytes }) {
      const done = `${plural(files, 'file')}, ${formatCount(hashed)} hashed (${formatBytes(bytes)})`;
      progress.show(`Scanning: ${done}, ${rateOf(bytes)}`);
    },
    end: () => progress.end(),
  };
}

function drawBar(terminal: Terminal, root: ContentRoot): ScanBar {
  const bar = terminalBar(terminal, FORMAT);
  const rateOf = startRate();
  const counted = startCounting(root);
  bar.start(1, 0, { files: 0, found: 0, bytes: formatBytes(0), rate: '' });
  return {
    update({ files, bytes }) {
      const found = Math.max(counted.files, files);
      bar.setTotal(found);
      const texts = { files: formatCount(files), found: formatCount(found) };
      bar.update(files, { ...texts, bytes: formatBytes(bytes), rate: rateOf(bytes) });
    },
    end() {
      counted.end();
      bar.stop();
    },
  };
}

/** A scan does not know how many files it will find; listing them at the same time is much faster than hashing them. */
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
  // The scan reports what is wrong with the root.
  count().catch(() => {});
  return counted;
}

/** Returns a function that gives bytes per second since the start. */
function startRate(): (bytes: number) => string {
  const began = performance.now();
  return (bytes) => `${formatBytes(Math.round((bytes * 1000) / Math.max(1, performance.now() - began)))}/s`;
}
