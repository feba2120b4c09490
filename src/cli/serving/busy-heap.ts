import { setTimeout as wait } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Requests per second. */
const BUSY = 100;
/** Bytes of the young generation, both halves. */
const WANTED = 8 * 1024 * 1024;
const CHECK_INTERVAL_MS = 1_000;
const GROWING_INTERVAL_MS = 10;
/** The next collection lets the young generation grow; a busy server collects many times a second. */
const MOST_CHECKS = 100;

/**
 * Lets the young generation of the calling thread grow to two halves of 4 MB while the server is busy. limit-heaps.ts
 * keeps them at 1 MB, where a tenth of the memory of many concurrent requests is promoted, and collecting it with the
 * old generation takes as much time as the requests. V8 shrinks the young generation again when there is little to do.
 * Runs until the signal.
 * @param answered number of requests answered so far
 */
export function growWhenBusy(answered: () => number, stopped: AbortSignal): void {
  // If it fails, the work is only slower.
  growUntil(answered, stopped).catch(() => {});
}

async function growUntil(answered: () => number, stopped: AbortSignal): Promise<void> {
  for (let before = answered(); !stopped.aborted; ) {
    await pause(CHECK_INTERVAL_MS, stopped);
    const now = answered();
    if ((now - before) / (CHECK_INTERVAL_MS / 1000) > BUSY) await grow(stopped);
    before = answered();
  }
}

async function grow(stopped: AbortSignal): Promise<void> {
  const factor = Math.floor(WANTED / youngBytes());
  if (factor < 2) return;
  // All threads share this flag, so it is set for as short a time as possible.
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  try {
    for (let check = 0; check < MOST_CHECKS && youngBytes() < WANTED && !stopped.aborted; check++) {
      await pause(GROWING_INTERVAL_MS, stopped);
    }
  } finally {
    setFlagsFromString('--semi-space-growth-factor=1');
  }
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false }).catch(() => {});
}
