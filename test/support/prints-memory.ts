const PRINTS_MEMORY = `import { readFileSync } from 'node:fs';
  const status = () => readFileSync('/proc/self/status', 'utf8');
  process.on('exit', () => process._rawDebug(/VmHWM:\\s+(\\d+) kB/.exec(status())[1]));`;

/** Environment in which a process prints the most memory that it held, in kB, as the last line of stderr. */
export const PRINTING_MEMORY = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRINTS_MEMORY)}`,
} as const;
