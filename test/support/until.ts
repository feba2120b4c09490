import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it; gives up after 100 seconds: a
 * machine that runs tests may be busy.
 * @param intervalMs between two questions: longer when each of them is a whole command
 */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
  intervalMs = 50,
): Promise<Answer> {
  const end = performance.now() + 100_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
    await wait(intervalMs);
  }
}

/** Whether a process was stopped by SIGSTOP. */
export async function isStopped(pid: number): Promise<boolean> {
  return /^State:\tT/m.test(await readFile(`/proc/${pid}/status`, 'utf8'));
}
