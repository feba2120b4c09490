import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { type UploadView, uploadSchema } from '../../../api/upload-schemas.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import { askServer, mayCarryToken } from '../../ask-server.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { type FormAnswer, type FormFile, sendForm } from '../../send-form.ts';
import { keptBaseUrl } from '../../settle-base-url.ts';
import { barLine, drawsBars, startProgress } from '../../ui/progress.ts';
import type { Terminal } from '../../ui/terminal.ts';
import { withExistingApp } from '../../with-app.ts';
import { sizeOf } from './describe-upload.ts';

interface Options {
  readonly stream?: string;
  readonly name?: string;
  readonly server?: string;
  readonly tokenFile?: string;
}

export const uploadFiles: CliCommand<Options> = {
  usage: 'upload <organization> <file...>',
  summary: 'Uploads files of an organization to a server that runs: all of them are one upload.',
  examples: [
    ['upload lane new.mrc deleted.txt', 'to the default stream, on the server of the store here'],
    [
      'upload lane full.mrc.gz --stream full-2026 --server https://sync.example.org --token-file token.txt',
      'to another server, with a token of the scope upload:lane',
    ],
  ],
  settings: ['port'],

  options(command) {
    command
      .option('--stream <stream>', 'the stream (default: the default one of the organization)')
      .option('--name <name>', 'what people call the upload')
      .option('--server <url>', 'the base URL of the server (default: the one of the store here)')
      .option(
        '--token-file <file>',
        'a file with a token of the scope upload:ORG (default: TIDEMARK_TOKEN, if it is set)',
      );
  },

  async run(call) {
    const { stream, name } = call.options;
    const [organization = '', ...paths] = call.args;
    const files = await Promise.all(paths.map((path) => findFile(resolve(call.workingDirectory, path))));
    const server = await serverOf(call);
    const token = await tokenOf(call);
    if (token !== undefined && !mayCarryToken(server)) throw readable(server);
    const bar = startUploadBar(call.terminal, files);
    const url = new URL(
      `api/organizations/${encodeURIComponent(organization)}/uploads`,
      `${server.replace(/\/$/, '')}/`,
    );
    const fields = { ...(stream !== undefined && { stream }), ...(name !== undefined && { name }) };
    const options = { token, signal: call.stopped, onProgress: bar.update };
    const answer = await sendForm(url, { fields, files }, options).finally(bar.end);
    const upload = readAnswer(answer, url);
    const id = `${upload.organization}/${upload.stream}/${upload.number}`;
    await call.terminal.print(`Uploaded ${sizeOf(upload.files)}: ${id}`, upload);
    return EXIT.done;
  },
};

async function findFile(path: string): Promise<FormFile> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { file: path });
  });
  if (!stats.isFile()) throw new TidemarkError('invalid', `${path} is no regular file: name files`, { file: path });
  return { path, name: basename(path), length: stats.size };
}

/** The base URL of the server that is asked. */
async function serverOf(call: Call<Options>): Promise<string> {
  const { server } = call.options;
  if (server !== undefined) {
    if (/^https?:$/.test(URL.parse(server)?.protocol ?? '')) return server;
    throw new TidemarkError('invalid', `"${server}" is no URL of a server: write it as https://sync.example.org`);
  }
  const { configuration } = call.loaded;
  const found = await askServer(configuration, await withExistingApp(call, keptBaseUrl));
  if (found.state !== 'none') return found.url;
  throw new TidemarkError(
    'unavailable',
    'no server of this store runs: start one with "tidemark serve", or name one with --server URL',
  );
}

async function tokenOf({
  options: { tokenFile },
  loaded,
  workingDirectory,
}: Call<Options>): Promise<string | undefined> {
  if (tokenFile === undefined) return loaded.configuration.token?.reveal();
  const path = resolve(workingDirectory, tokenFile);
  const token = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { file: path });
  });
  return token.trim();
}

function startUploadBar(terminal: Terminal, files: readonly FormFile[]) {
  const total = files.reduce((sum, { length }) => sum + length, 0);
  const progress = startProgress(terminal);
  const isDrawn = drawsBars(terminal);
  const began = performance.now();
  return {
    update(sent: number) {
      const rate = formatBytes(Math.round((sent * 1000) / Math.max(1, performance.now() - began)));
      const text = `${formatBytes(sent)} of ${formatBytes(total)}, ${rate}/s`;
      progress.show(isDrawn ? barLine(terminal, 'Uploading', { done: sent, total, text }) : `Uploading: ${text}`);
    },
    end: () => progress.end(),
  };
}

/** @throws TidemarkError with what the server says is wrong */
function readAnswer({ status, text }: FormAnswer, { origin }: URL): UploadView {
  const value = parseJson(text);
  const upload = uploadSchema.safeParse(value);
  if (status === 201 && upload.success) return upload.data;
  const { error } = (value ?? {}) as { readonly error?: { readonly message?: unknown } };
  const message = typeof error?.message === 'string' ? error.message : `it answered ${status}`;
  const code =
    status >= 500 || status === 429 ? 'unavailable' : status === 401 || status === 403 ? 'forbidden' : 'invalid';
  throw new TidemarkError(code, `the server at ${origin} did not take the upload: ${message}`, { status });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readable(server: string): TidemarkError {
  const message = `the token could be read on the way to ${server}: name the server by https`;
  return new TidemarkError('invalid', message);
}
