const PRINTS_MEMORY = `import { readFileSync } from 'node:fs';
  const status = () => readFileSync('/proc/self/status', 'utf8');
  process.on('exit', () => process._rawDebug(/VmHWM:\\s+(\\d+) kB/.exec(status())[1]));`;

/** Environment in which a process prints at its end, as the last line of stderr, the most memory that it held, in kB. */
export const PRINTING_MEMORY = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRINTS_MEMORY)}`,
} as const;
