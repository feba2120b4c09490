import { BroadcastChannel } from 'node:worker_threads';
import type { S3Client } from '@aws-sdk/client-s3';
import { type Backoff, pauseAfter } from '../calls/retry.ts';
import { failureOf, isAway, reasonOf } from './s3-failure.ts';
import { describeS3, type S3Location } from './s3-location.ts';

/** How the clients of a command wait for their server. A plain value: all threads of the command share it. */
export interface S3Waiting {
  /** One number, of these: */
  readonly state: Int32Array<SharedArrayBuffer>;
  /** The name of the BroadcastChannel that gets a message for users about each wait. */
  readonly channel: string;
}

/** No client has had an answer: the location may be wrong, and nothing is done yet. */
const NOT_ANSWERED = 0;
const ANSWERED = 1;
/** The command is to end. */
const ENDING = 2;

const BACKOFF: Backoff = { firstMs: 200, longestMs: 2_000 };
/** Milliseconds that a wait has taken before users are informed. */
const WORTH_SAYING_MS = 1_000;

export function beginS3Waiting(): S3Waiting {
  return { state: new Int32Array(new SharedArrayBuffer(4)), channel: `s3-waiting-${crypto.randomUUID()}` };
}

/** Lets all that wait fail, soon. */
export function endS3Waiting({ state }: S3Waiting): void {
  Atomics.store(state, 0, ENDING);
}

/**
 * From now on, the client repeats each request, however long, while the server throttles, fails, does not answer or
 * cannot be reached. It does so once a request of the command was answered.
 */
export function waitWhileAway(client: S3Client, location: S3Location, { state, channel }: S3Waiting): void {
  const mayWait = (error: unknown): boolean => {
    const failure = failureOf(error);
    if (isAway(failure)) return Atomics.load(state, 0) === ANSWERED;
    if (failure.status !== undefined) Atomics.compareExchange(state, 0, NOT_ANSWERED, ANSWERED);
    return false;
  };
  client.middlewareStack.add(
    (next) => async (input) => {
      const began = performance.now();
      for (let failures = 1; ; failures++) {
        try {
          const result = await next(input);
          Atomics.compareExchange(state, 0, NOT_ANSWERED, ANSWERED);
          return result;
        } catch (error) {
          if (!mayWait(error)) throw error;
          if (performance.now() - began > WORTH_SAYING_MS) {
            say(channel, `Waits for ${describeS3(location)}: ${reasonOf(failureOf(error), location, '')}`);
          }
        }
        await pauseAfter(failures, BACKOFF);
      }
    },
    { step: 'initialize', name: 'waitWhileAway' },
  );
}

function say(channel: string, message: string): void {
  const sender = new BroadcastChannel(channel);
  sender.postMessage(message);
  sender.close();
}
