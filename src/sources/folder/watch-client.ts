import { CalledThread } from '../../lib/workers/rpc.ts';
import type { RootProblem, RootWatch } from '../content-root.ts';
import { folderThread } from './folder-thread.ts';
import type { WatchedRoot, WatchFunctions } from './watch.worker.ts';

interface Listener {
  readonly onChange: (path: string) => void;
  readonly onProblem: (problem: RootProblem) => void;
}

/**
 * Watches a folder in a thread, so that neither a folder of a million names nor a network file system that hangs stops
 * the rest of the program.
 * @throws TidemarkError `unavailable` when the root does not exist
 */
export async function watchFolder(watched: WatchedRoot, { onChange, onProblem }: Listener): Promise<RootWatch> {
  const thread = new CalledThread<WatchFunctions>({
    ...folderThread('watch.worker', watched),
    work: 'watching the root',
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    isOpen = false;
    await thread.end();
  };
  const follow = async (): Promise<void> => {
    while (isOpen) {
      const { paths, problems } = await thread.call('next', []);
      // A listener may close the watch.
      for (const path of paths) if (isOpen) onChange(path);
      for (const problem of problems) if (isOpen) onProblem(problem);
    }
  };
  try {
    // Reported before this returns: the caller may rely on everything else being watched.
    for (const problem of await thread.call('open', [])) onProblem(problem);
  } catch (error) {
    await close();
    throw error;
  }
  follow().catch((error: Error) => {
    if (isOpen) onProblem({ path: '', problem: error.message });
  });
  return { close };
}
