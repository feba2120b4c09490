import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { PassThrough } from 'node:stream';
import type { Call } from '../../../src/cli/cli-command.ts';
import { confirmRoot } from '../../../src/cli/confirm-root.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('The question before a home folder is published', () => {
  const place = useTempFolder();
  const { homedir } = os;
  afterEach(() => {
    os.homedir = homedir;
    syncBuiltinESMExports();
  });

  it('is asked also where the account has no home folder', async () => {
    os.homedir = () => {
      throw new Error('uv_os_homedir returned ENOENT (no such file or directory)');
    };
    syncBuiltinESMExports();
    const terminal = { stdin: new PassThrough(), json: false } as unknown as Call['terminal'];
    const confirm = (path: string) =>
      confirmRoot({ terminal, stopped: AbortSignal.timeout(10_000) }, { kind: 'folder', path }, false);
    await confirm(place.path);
    for (const path of ['/', '/home', '/home/anybody']) {
      await assert.rejects(confirm(path), (error) => isTidemarkError(error, 'conflict'));
    }
  });
});
