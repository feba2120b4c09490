/** Commands that run for a long time, with many threads. */
const LONG_COMMANDS = ['serve', 'publish', 'work'];
const NAME = 'MALLOC_ARENA_MAX';
/** One heap for the main thread, and one that all other threads share. */
const ARENAS = '2';

type Started = Pick<NodeJS.Process, 'argv' | 'execArgv' | 'execPath' | 'env' | 'platform' | 'execve'>;

/**
 * Restarts the program in its place, with few heaps in the C library: glibc reads their number only from the
 * environment, and at the start. By default it has up to 16 on two processors, each of which keeps memory that a thread
 * has freed: 36 to 50 MB while an upload is processed, and a sixth of the processor's time. Restarting takes 45 ms.
 * Does nothing for short commands, on systems other than Linux, or when the environment contains a number.
 */
export function limitArenas({ argv, execArgv, execPath, env, platform, execve }: Started): void {
  const isLong = LONG_COMMANDS.includes(argv[2] ?? '');
  if (!isLong || platform !== 'linux' || env[NAME] !== undefined) return;
  execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, [NAME]: ARENAS });
}
