import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Call } from './cli-command.ts';

/**
 * Asks the user at a terminal, and returns whether the answer is yes. Without a terminal, or with --json, returns false
 * without asking.
 * @throws the signal's reason when a signal comes before the answer
 */
export async function askToConfirm({ terminal, stopped }: Pick<Call, 'terminal' | 'stopped'>, question: string) {
  const { stdin, stderr, json } = terminal;
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
  if (!isTerminal || json) return false;
  // The terminal itself edits the line and turns Ctrl-C into a signal.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    const answered = lines.question(`${question} [y/N] `, { signal: stopped });
    const ended = once(lines, 'close').then(() => '');
    return /^y(es)?$/i.test((await Promise.race([answered, ended])).trim());
  } finally {
    lines.close();
  }
}
