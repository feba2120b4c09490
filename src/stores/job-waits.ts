import { TidemarkError } from '../core/errors.ts';

/** What a job waits for while the artifact store is away. What follows it, why it is away, is for administrators. */
export const ARTIFACT_STORE_AWAY = 'the artifact store has to answer';

/** What a job waits for while the disk of temporary files is full. */
export const SCRATCH_FULL = 'the disk of temporary files has to have room';

interface WaitOptions {
  /** Milliseconds after which the job checks again. */
  readonly againMs?: number;
  /** When it stops to wait for this, in milliseconds since 1970. */
  readonly until?: number;
}

/**
 * Thrown by work that has to wait for something that may take long. A job then gives its place in the process back, and
 * checks again later. That is no failure, and the attempt does not count.
 */
export class JobWaits extends TidemarkError {
  readonly againMs: number;
  readonly until: number | undefined;

  /** @param reason a sentence without a full stop */
  constructor(reason: string, { againMs = 5_000, until }: WaitOptions = {}) {
    super('conflict', reason);
    this.againMs = againMs;
    this.until = until;
  }
}
