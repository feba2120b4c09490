import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError } from '../../core/errors.ts';
import type { RootProblem, RootWatch } from '../content-root.ts';
import type { SourceBucket } from './source-bucket.ts';

interface S3Watch {
  /** Milliseconds. */
  readonly interval: number;
  readonly onChange: (path: string) => void;
  readonly onProblem: (problem: RootProblem) => void;
}

/** Requests a new list of everything at intervals: a server reports changes only where an operator has set that up. */
export async function watchS3(bucket: SourceBucket, { interval, onChange, onProblem }: S3Watch): Promise<RootWatch> {
  await bucket.requireExists();
  const closing = new AbortController();
  const { signal } = closing;
  const watching = poll();

  async function poll(): Promise<void> {
    try {
      for (;;) {
        await wait(interval, undefined, { signal });
        await bucket.requireExists();
        signal.throwIfAborted();
        onChange('');
      }
    } catch (error) {
      if (signal.aborted) return;
      const problem = isTidemarkError(error) ? error.message : `watching the root failed: ${error}`;
      onProblem({ path: '', problem });
    }
  }

  return {
    async close() {
      closing.abort();
      await watching;
    },
  };
}
