import type { ChildOptions, Finished } from './child.ts';
import { peakMemory } from './peak-memory.ts';
import { processorTime } from './processor-time.ts';
import type { Tidemark } from './tidemark.ts';

/** Milliseconds between two reads of what only rises: the high-water mark of memory, and the processor time. */
const LOOK_AFTER = 100;

/** Runs a command to its end, with the most memory that it held, in MB, and the seconds that it used of processors. */
export async function runMeasured(
  tidemark: Tidemark,
  args: readonly string[],
  { codes }: Pick<ChildOptions, 'codes'> = {},
): Promise<Finished & { readonly memory: number; readonly processorTime: number }> {
  let memory = 0;
  let used = 0;
  let looking: NodeJS.Timeout | undefined;
  const finished = await tidemark
    .runWith(args, {
      ...(codes !== undefined && { codes }),
      started({ pid }) {
        looking = setInterval(() => {
          memory = Math.max(memory, peakMemory(pid!));
          used = usedBy(pid!) ?? used;
        }, LOOK_AFTER);
      },
    })
    .finally(() => clearInterval(looking));
  return { ...finished, memory, processorTime: used };
}

/** Undefined when the process has ended. */
function usedBy(pid: number): number | undefined {
  try {
    return processorTime(pid);
  } catch {
    return undefined;
  }
}
