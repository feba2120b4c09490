import { withTimeout } from '../lib/calls/with-timeout.ts';
import type { ArtifactStore, ObjectKey } from './artifact-store.ts';

/** Milliseconds after which the store counts as one that does not answer. */
const TIMEOUT_MS = 2_000;
/** Milliseconds for which an answer counts: those who ask more often cause no more requests. */
const COUNTS_MS = 10_000;
/** An object that need not exist. A list of a bucket looks for it, and a folder is read. */
const ASKED: ObjectKey = 'available';

/**
 * Checks whether the artifact store answers, by one small request in ten seconds at most. A folder that does not exist
 * counts as available: the first artifact creates it.
 */
export class ArtifactHealth {
  readonly #artifacts: Pick<ArtifactStore, 'head'>;
  readonly #countsMs: number;
  /** The request that is under way. A folder on a network may never answer, so there is one at a time. */
  #asking: Promise<string | undefined> | undefined;
  #answer: Promise<string | undefined> | undefined;
  #answered = 0;

  /** @param countsMs for tests */
  constructor(artifacts: Pick<ArtifactStore, 'head'>, countsMs = COUNTS_MS) {
    this.#artifacts = artifacts;
    this.#countsMs = countsMs;
  }

  /** Why the store cannot be used, for operators; undefined when it can. Never rejects; takes two seconds at most. */
  problem(): Promise<string | undefined> {
    const isOld = performance.now() - this.#answered > this.#countsMs;
    if (this.#answer === undefined || (isOld && this.#asking === undefined)) {
      this.#asking = this.#ask();
      this.#answer = withTimeout(this.#asking, TIMEOUT_MS, noAnswer);
    }
    return this.#answer;
  }

  async #ask(): Promise<string | undefined> {
    const problem = await this.#artifacts.head(ASKED).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    this.#asking = undefined;
    this.#answered = performance.now();
    // After a timeout, too: the reason says more.
    this.#answer = Promise.resolve(problem);
    return problem;
  }
}

function noAnswer(): string {
  return `the artifact store has not answered within ${TIMEOUT_MS / 1000} seconds`;
}
