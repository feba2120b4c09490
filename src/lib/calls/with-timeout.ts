/**
 * Waits for work until a timeout in milliseconds. The work itself continues; its later failure is ignored.
 * @param onTimeout called at the timeout: the call returns its result, or throws its error
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
