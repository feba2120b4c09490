import type { ChildOptions, Finished } from './child.ts';
import { peakMemory } from './peak-memory.ts';
import type { Tidemark } from './tidemark.ts';

/** Milliseconds between two reads of the high-water mark, which only rises. */
const LOOK_AFTER = 100;

/** Runs a command to its end, with the most memory that it held, in MB. */
export async function runMeasured(
  tidemark: Tidemark,
  args: readonly string[],
  { codes }: Pick<ChildOptions, 'codes'> = {},
): Promise<Finished & { readonly memory: number }> {
  let memory = 0;
  let looking: NodeJS.Timeout | undefined;
  const finished = await tidemark
    .runWith(args, {
      ...(codes !== undefined && { codes }),
      started({ pid }) {
        looking = setInterval(() => {
          memory = Math.max(memory, peakMemory(pid!));
        }, LOOK_AFTER);
      },
    })
    .finally(() => clearInterval(looking));
  return { ...finished, memory };
}
