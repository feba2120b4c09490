/**
 * Waits for work, and rejects with the signal's reason as soon as it is aborted. The work itself continues; its later
 * failure is ignored.
 */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  // Also when the signal was aborted before: the failure would end the process.
  work.catch(() => {});
  signal.throwIfAborted();
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: done.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    done.abort();
  }
}
