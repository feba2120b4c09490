import { SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.ts';

/**
 * A bar in one line of a terminal. While it is shown, the cursor is hidden and long lines are cut: both are restored
 * when the bar is stopped, or when the process exits before, as at a second signal.
 */
export function terminalBar({ stderr }: Terminal, format: string): SingleBar {
  const stream = stderr as NodeJS.WriteStream;
  const bar = new SingleBar({ format, stream, clearOnComplete: true, hideCursor: true });
  const stop = () => bar.stop();
  bar.on('start', () => process.on('exit', stop));
  bar.on('stop', () => process.off('exit', stop));
  return bar;
}
