import { appendFileSync, existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { defineJob } from '../../src/jobs/job-definition.ts';

export interface GatedPayload {
  /** The job waits until a file of this name exists. */
  readonly gate?: string;
  readonly ignoresSignal?: boolean;
}

/**
 * Jobs of the kind `work`. Each writes a file that is never overwritten: its effect.
 * @param folder where they write what they do
 * @param name of their worker
 */
export function gatedJob(folder: string, name: string) {
  return defineJob<GatedPayload>({
    kind: 'work',
    retry: { attempts: 5, firstMs: 10, longestMs: 100 },
    async run({ gate, ignoresSignal }, _parts, run) {
      const id = run.name.split('/')[1]!;
      // First this: who sees that it has begun may stop it at once.
      run.signal.addEventListener('abort', () => appendFileSync(join(folder, 'stopped'), `${name} ${id}\n`));
      appendFileSync(join(folder, 'begun'), `${name} ${id}\n`);
      while (gate !== undefined && !existsSync(join(folder, gate))) {
        if (!ignoresSignal) run.signal.throwIfAborted();
        await wait(20);
      }
      await writeFile(join(folder, `effect-${id}`), name, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      return { by: name };
    },
  });
}
