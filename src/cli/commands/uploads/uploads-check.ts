import { resolve } from 'node:path';
import { STORED } from '../../../records/forms/record-forms.ts';
import type { GivenFile } from '../../../records/packages/found-file.ts';
import { openLocalFile } from '../../../records/packages/local-file.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { startActivityBar } from '../../ui/activity-bar.ts';
import { type CheckedFile, checkFiles, type FileVisitor } from './check-files.ts';
import { describeCheck } from './describe-check.ts';
import { openErrorsFile } from './errors-file.ts';
import { openNormalizedFiles } from './normalized-files.ts';

const READABLE = STORED.map(({ readable }) => readable.title).join(' or ');

interface Options {
  readonly errors?: string;
  readonly normalized?: string;
}

export const uploadsCheck: CliCommand<Options> = {
  group: 'uploads',
  usage: 'check <file...>',
  summary:
    'Reads files as an upload would, also in packages, and shows what each is taken for, how many records it has, and what is wrong. Nothing is sent or stored; exit code 1 when something would not be taken over.',
  examples: [
    ['uploads check nightly.mrc.gz', 'checks a file before it is uploaded'],
    ['uploads check export.zip deleted.txt --errors errors.ndjson', 'writes every error as a line of JSON'],
    ['uploads check old.mrc --normalized normalized', `writes what is read of it as ${READABLE}`],
  ],

  options(command) {
    command
      .option('--errors <file>', 'write all errors into a file, each as a line of JSON')
      .option(
        '--normalized <folder>',
        `write what is read of each file into a folder, as ${READABLE} and lists of ids`,
      );
  },

  async run(call) {
    const { terminal, options, workingDirectory } = call;
    const given = await Promise.all(call.args.map((name) => openLocalFile(resolve(workingDirectory, name), name)));
    const files: CheckedFile[] = [];
    const visitors: FileVisitor[] = [];
    try {
      if (options.errors !== undefined) visitors.push(await openErrorsFile(resolve(workingDirectory, options.errors)));
      if (options.normalized !== undefined) {
        const folder = resolve(workingDirectory, options.normalized);
        visitors.push(await openNormalizedFiles(folder, (text) => terminal.say(text)));
      }
      for await (const file of checkWithProgress(call, given, visitors)) {
        if (terminal.json) await terminal.print('', file);
        files.push(file);
      }
    } finally {
      for (const visitor of visitors) await visitor.close();
    }
    if (!terminal.json) await terminal.print(describeCheck(files), undefined);
    return files.every(({ kind, errors }) => kind !== 'unknown' && errors === 0) ? EXIT.done : EXIT.failed;
  },
};

type LocalFile = Awaited<ReturnType<typeof openLocalFile>>;

async function* checkWithProgress(
  { terminal, stopped }: Call<Options>,
  given: readonly LocalFile[],
  visitors: readonly FileVisitor[],
): AsyncGenerator<CheckedFile, void, undefined> {
  const bar = startActivityBar(terminal);
  const total = given.reduce((sum, { length }) => sum + length, 0);
  let done = 0;
  let attempted = 0;
  const counting: FileVisitor = {
    async begin() {},
    async read(batch) {
      attempted += batch.length;
    },
    async end() {},
    async close() {},
  };
  try {
    const counted = given.map((file) =>
      countedFile(file, (bytes) => {
        // Checked even while much is skipped.
        stopped.throwIfAborted();
        // Parts of a ZIP are read twice.
        done = Math.min(done + bytes, total);
        bar.update({ step: 'reading', attempted, done, total });
      }),
    );
    yield* checkFiles(counted, [counting, ...visitors], stopped);
  } finally {
    bar.end();
  }
}

function countedFile({ name, read, ranges }: GivenFile, count: (bytes: number) => void): GivenFile {
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      count(chunk.length);
      yield chunk;
    }
  }
  return {
    name,
    read: () => counted(read()),
    ranges: ranges && { length: ranges.length, read: (start, length) => counted(ranges.read(start, length)) },
  };
}
