/**
 * Waits for work, but at most so many milliseconds. The work itself goes on; a later failure of it is ignored.
 * @param onTimeout its result, or what it throws, is that of the call when the time is over
 */
export async function withTimeout<Result, Late>(
  work: Promise<Result>,
  timeoutMs: number,
  onTimeout: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, TIMED_OUT);
  });
  try {
    const first = await Promise.race([work, timeout]);
    return first === TIMED_OUT ? onTimeout() : first;
  } finally {
    clearTimeout(timer);
  }
}

const TIMED_OUT = Symbol('timed out');
