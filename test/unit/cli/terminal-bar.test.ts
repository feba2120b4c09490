import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const BAR = new URL('../../../src/cli/ui/terminal-bar.ts', import.meta.url).href;

describe('A bar on a terminal', () => {
  it('gives the cursor back, and wraps lines again, when the process exits while it is shown', async () => {
    const script = `
      const { terminalBar } = await import('${BAR}');
      process.stdout.isTTY = true;
      terminalBar({ stderr: process.stdout }, '{bar}').start(2, 1);
      process.exit(0);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    assert.match(stdout, /\u001b\[\?25l\u001b\[\?7l(.|\s)*\u001b\[\?25h\u001b\[\?7h/);
  });
});
