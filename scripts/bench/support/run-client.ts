import { runChild } from './child.ts';
import { peakMemory } from './peak-memory.ts';
import { processorTimeOfEnded } from './processor-time.ts';

const LOOK_AFTER_MS = 50;

export interface ClientRun {
  readonly stdout: string;
  readonly seconds: number;
  /** Seconds of the processors, of all processes of the client. No other child of this process may end meanwhile. */
  readonly processor: number;
  /** MB, of all processes of the client. */
  readonly memory: number;
}

/** Runs a program to its end, with what it and the processes that it starts use. */
export async function runClient(program: string, args: readonly string[]): Promise<ClientRun> {
  let memory = 0;
  let looking: NodeJS.Timeout | undefined;
  const before = processorTimeOfEnded();
  const { stdout, seconds } = await runChild(program, args, {
    started({ pid }) {
      looking = setInterval(() => {
        memory = Math.max(memory, peakMemory(pid!));
      }, LOOK_AFTER_MS);
    },
  }).finally(() => clearInterval(looking));
  return { stdout, seconds, processor: processorTimeOfEnded() - before, memory };
}
