import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { COMMAND_LIMITS } from '../../client/read/limits.ts';
import type { Report } from '../../client/validate/report.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { wholeNumber } from '../options.ts';
import { addCredentialOptions, type CredentialFlags, credentialFiles, parseSourceUrl } from '../other-source.ts';
import { openOutputFile } from '../output-file.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { describeReport } from './describe-report.ts';

interface Options extends CredentialFlags {
  readonly sample?: number;
  readonly full?: boolean;
  readonly junit?: string;
}

const DEFAULT_SAMPLE = 20;

export const validateSource: CliCommand<Options> = {
  usage: 'validate <source>',
  summary:
    'Validates any ResourceSync source by its URL, or a single document by its file, by the rules of docs/validator.md; exit code 1 when it breaks one at the level MUST.',
  examples: [
    ['validate https://sync.example.org/', 'finds the source by any URL of it'],
    ['validate resourcelist.xml', 'checks a file by the rules of documents alone'],
    ['validate http://localhost:8080/ --full --junit report.xml', 'reads all of it, for CI'],
  ],

  options(command: Command) {
    command
      .option(
        '--sample <n>',
        `how many resources of each list, packages of each dump, and files of each package to read and compare (default: ${DEFAULT_SAMPLE})`,
        wholeNumber(0, 1_000_000),
      )
      .addOption(new Option('--full', 'read and compare all of them').conflicts('sample'))
      .option('--junit <file>', 'also write the report into a file in the format of JUnit');
    addCredentialOptions(command);
  },

  async run(call) {
    const { terminal, options, workingDirectory } = call;
    const given = sourceOf(call);
    // Opened before the source is read, which may take long.
    const junit =
      options.junit === undefined ? undefined : await openOutputFile(resolve(workingDirectory, options.junit), 'w');
    const [{ hasFailed, junitOf, junitOfError }, { reportView }] = await Promise.all([
      import('../../client/validate/junit.ts'),
      import('../../client/validate/report-view.ts'),
    ]);
    const writeJunit = async (text: string) => {
      await junit?.write(text);
      await junit?.close();
    };
    const report = await (given.file === undefined ? read(call, given.url) : readFile(call, given.file)).catch(
      async (error: Error) => {
        await writeJunit(junitOfError(error.message));
        throw error;
      },
    );
    await terminal.print(describeReport(report), reportView(report));
    await writeJunit(junitOf(report));
    return hasFailed(report) ? EXIT.failed : EXIT.done;
  },
};

type Given = { readonly url: string; readonly file?: undefined } | { readonly file: string };

/** @throws TidemarkError `invalid` */
function sourceOf({ args, workingDirectory }: Call<Options>): Given {
  const text = args[0]!;
  const file = resolve(workingDirectory, text);
  if (URL.canParse(text)) return { url: parseSourceUrl(text) };
  if (existsSync(file)) return { file };
  const message = `${JSON.stringify(text)} is neither a URL of a source, such as https://example.org/, nor a file`;
  throw new TidemarkError('invalid', message);
}

/** Validates a document of which nothing else is known. */
async function readFile({ stopped }: Call<Options>, file: string): Promise<Report> {
  const [{ validate }, { FileFetcher }] = await Promise.all([
    import('../../client/validate/validate.ts'),
    import('../../client/read/file-fetcher.ts'),
  ]);
  const fetcher = new FileFetcher(file);
  const options = { fetcher, folder: tmpdir(), limits: COMMAND_LIMITS, signal: stopped, sample: 0, isAlone: true };
  return validate(fetcher.url, options);
}

async function read({ terminal, options, stopped, workingDirectory }: Call<Options>, given: string): Promise<Report> {
  const [{ validate }, { HttpFetcher }, { readCredentials, withoutLogin }, { NamedHosts }] = await Promise.all([
    import('../../client/validate/validate.ts'),
    import('../../client/read/http-fetcher.ts'),
    import('../../client/read/source-credentials.ts'),
    import('../../client/read/named-hosts.ts'),
  ]);
  const credentials = { url: given, ...credentialFiles(options, workingDirectory) };
  const headersFor = await readCredentials(credentials, new NamedHosts(given, []));
  // The report names the URL.
  const url = withoutLogin(given);
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-validate-'));
  const fetcher = new HttpFetcher({ ...COMMAND_LIMITS, privateNetworks: 'all', headersFor });
  const bar = startCountBar(terminal);
  try {
    return await validate(url, {
      fetcher,
      folder,
      limits: COMMAND_LIMITS,
      signal: stopped,
      sample: options.full === true ? 'all' : (options.sample ?? DEFAULT_SAMPLE),
      onProgress: ({ documents, resources, packages, expected }) => {
        const done = documents + resources + packages;
        bar.update('Reading', done, Math.max(done, expected));
      },
    });
  } finally {
    bar.end();
    fetcher.close();
    await rm(folder, { recursive: true, force: true });
  }
}
