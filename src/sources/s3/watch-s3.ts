import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError } from '../../core/errors.ts';
import type { RootProblem, RootWatch } from '../content-root.ts';
import type { S3Bucket } from './s3-bucket.ts';

export interface S3Watch {
  /** Milliseconds. */
  readonly interval: number;
  readonly onChange: (path: string) => void;
  readonly onProblem: (problem: RootProblem) => void;
}

/** Asks for a new list of everything, again and again: a server tells of changes only where somebody has set that up. */
export async function watchS3(bucket: S3Bucket, { interval, onChange, onProblem }: S3Watch): Promise<RootWatch> {
  await bucket.requireThere();
  const closing = new AbortController();
  const { signal } = closing;
  const watching = look();

  async function look(): Promise<void> {
    try {
      for (;;) {
        await wait(interval, undefined, { signal });
        await bucket.requireThere();
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
