const PRINTS_MEMORY = `import { readFileSync } from 'node:fs';
  const status = () => readFileSync('/proc/self/status', 'utf8');
  process.on('exit', () => process._rawDebug(/VmHWM:\\s+(\\d+) kB/.exec(status())[1]));`;

/**
 * Environment in which a process prints the most memory that it held, in kB, as the last line of stderr. Its heap is
 * small, so that this is what it had in use, not what V8 had not collected yet.
 */
export const PRINTING_MEMORY = {
  NODE_OPTIONS: `--max-semi-space-size=4 --max-old-space-size=80 --import=data:text/javascript,${encodeURIComponent(PRINTS_MEMORY)}`,
} as const;
