import { receiveError } from '../../lib/workers/questions.ts';
import type { RootProblem, RootWatch } from '../content-root.ts';
import { startFolderThread } from './held-thread.ts';
import type { WatchedRoot, WatchTold } from './watch-thread.ts';

interface Listener {
  readonly onChange: (path: string) => void;
  readonly onProblem: (problem: RootProblem) => void;
}

/**
 * Watches a folder in a thread of its own, so that neither a folder of a million names nor a network file system that hangs
 * stops the rest of the program.
 * @throws TidemarkError `unavailable` when the root is not there
 */
export async function watchFolder(workerData: WatchedRoot, { onChange, onProblem }: Listener): Promise<RootWatch> {
  const thread = startFolderThread('watch-thread', workerData);
  let open = true;
  const close = async (): Promise<void> => {
    open = false;
    await thread.terminate();
  };
  try {
    await new Promise<void>((resolve, reject) => {
      thread.on('message', (told: WatchTold) => {
        if (told.told === 'ready') resolve();
        if (told.told === 'failed') reject(receiveError(told.error));
        if (told.told === 'changed' && open) for (const path of told.paths) onChange(path);
        if (told.told === 'problem' && open) onProblem({ path: told.path, problem: told.problem });
      });
      thread.on('error', (error) => {
        reject(error);
        if (open) onProblem({ path: '', problem: `watching the root failed: ${error}` });
      });
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
