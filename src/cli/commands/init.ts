import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { exampleFile } from '../../config/example-file.ts';
import { TidemarkError } from '../../core/errors.ts';
import { CONFIGURATION_FILE } from '../../lib/glob/exclusions.ts';
import type { CliCommand } from '../cli-command.ts';

/** The file may later contain a token or a password. */
const MODE = 0o600;

export const init: CliCommand = {
  usage: 'init [file]',
  summary: `Writes ${CONFIGURATION_FILE}, or another file, with every setting as a comment. Overwrites nothing.`,
  examples: [
    ['init', `writes ${CONFIGURATION_FILE}, which commands read when it is in the working directory`],
    ['init /etc/tidemark/config.json', 'writes another file, for --config'],
  ],

  async run({ args, workingDirectory, terminal }) {
    const file = resolve(workingDirectory, args[0] ?? CONFIGURATION_FILE);
    try {
      await writeFile(file, exampleFile(), { flag: 'wx', mode: MODE });
    } catch (error) {
      throw cannotWrite(file, error as NodeJS.ErrnoException);
    }
    const message = `Wrote ${file}: every setting is a comment in it. Remove the slashes before what you change.`;
    await terminal.print(message, { file });
  },
};

function cannotWrite(file: string, error: NodeJS.ErrnoException): TidemarkError {
  const messages: Readonly<Record<string, string>> = {
    EEXIST: `${file} exists, and stays as it is: name another file, such as tidemark init example.json`,
    ENOENT: `there is no folder ${dirname(file)}`,
  };
  const message = messages[error.code ?? ''] ?? `${file} cannot be written: ${error.message}`;
  return new TidemarkError(error.code === 'EEXIST' ? 'conflict' : 'invalid', message, { file }, error);
}
