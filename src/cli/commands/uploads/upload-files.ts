import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import * as z from 'zod';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { parsedJson } from '../../../lib/parsed-json.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import type { CliCommand } from '../../cli-command.ts';
import { bytesOf, type Form, type FormAnswer, type FormFile, type SendOptions, sendForm } from '../../send-form.ts';
import { canResume, sendResumable } from '../../send-resumable.ts';
import { barLine, drawsBars, startProgress } from '../../ui/progress.ts';
import type { Terminal } from '../../ui/terminal.ts';
import { sizeOf } from './upload-commands.ts';
import { findServer, type ServerOptions } from './upload-server.ts';

interface Options extends ServerOptions {
  readonly stream?: string;
  readonly name?: string;
  readonly url?: string;
  readonly full?: true;
  readonly acceptDrop?: true;
}

/** The part of an upload's view that is needed here. A server of a later version may send more. */
const STORED_UPLOAD = z.looseObject({
  organization: z.string(),
  stream: z.string(),
  number: z.int(),
  fileUrl: z.string().optional(),
  files: z.array(z.looseObject({ length: z.int() })),
});
type StoredUpload = z.output<typeof STORED_UPLOAD>;

/** Bytes from which files are sent resumably. */
const RESUMABLE_BYTES = 32 * 1024 * 1024;
/** Milliseconds to wait until a stored upload can be shown. */
const SHOW_MS = 30_000;

export const uploadFiles: CliCommand<Options> = {
  usage: 'upload <organization> [file...]',
  summary: 'Uploads files of an organization to a server that runs: all of them are one upload.',
  examples: [
    ['upload lane new.mrc deleted.txt', 'to the default stream, on the server of the store here'],
    [
      'upload lane full.mrc.gz --stream full-2026 --server https://sync.example.org --token-file token.txt',
      'to another server, with a token of the scope upload:lane; large files go on after a break',
    ],
    ['upload lane all.mrc.gz --full', 'a new full export: records that it does not mention are deleted'],
    ['upload lane --url https://lane.example.org/nightly/new.mrc', 'has the server fetch the file'],
  ],
  settings: ['port'],

  options(command) {
    command
      .option('--stream <stream>', 'the stream (default: the default one of the organization)')
      .option('--name <name>', 'what people call the upload')
      .option('--full', 'a new full export: records of the stream that it does not mention are deleted')
      .option('--accept-drop', 'with --full: it may delete more of them than the drop limit of the server')
      .option('--url <url>', 'where the server fetches the file, in the place of files')
      .option('--server <url>', 'the base URL of the server (default: the one of the store here)')
      .option(
        '--token-file <file>',
        'a file with a token of the scope upload:ORG (default: TIDEMARK_TOKEN, if it is set)',
      );
  },

  async run(call) {
    const { stream, name, url, full, acceptDrop } = call.options;
    const [organization = '', ...paths] = call.args;
    if ((paths.length === 0) === (url === undefined)) throw filesOrUrl();
    const files = await Promise.all(paths.map((path) => findFile(resolve(call.workingDirectory, path))));
    const { baseUrl, token } = await findServer(call);
    const fields = {
      ...{ ...(stream && { stream }), ...(name && { name }), ...(url !== undefined && { url }) },
      ...{ ...(full && { full: 'yes' }), ...(acceptDrop && { accept_drop: 'yes' }) },
    };
    const bar = startUploadBar(call.terminal, files);
    const folder = new URL(`api/organizations/${encodeURIComponent(organization)}/`, baseUrl);
    const options = { token, signal: call.stopped, onProgress: bar.update, onBreak: bar.pause };
    const upload = await send(folder, { files, fields }, options)
      .catch((error: unknown) => {
        throw token === undefined && isTidemarkError(error, 'forbidden') ? withoutToken(error, organization) : error;
      })
      .finally(bar.end);
    const id = `${upload.organization}/${upload.stream}/${upload.number}`;
    const done = url === undefined ? `Uploaded ${sizeOf(upload.files)}` : `The server fetches ${upload.fileUrl}`;
    const status = new URL(`uploads/${upload.stream}/${upload.number}`, folder);
    const page = new URL(
      `organizations/${upload.organization}/streams/${upload.stream}/uploads/${upload.number}/`,
      baseUrl,
    );
    await call.terminal.print(`${done}: ${id}\nIts page: ${page}\nIts status: ${status}`, upload);
  },
};

async function send(
  folder: URL,
  form: Form,
  options: SendOptions & { onBreak(reason: string): void },
): Promise<StoredUpload> {
  if (bytesOf(form.files) < RESUMABLE_BYTES || !canResume(form)) {
    const answer = await sendForm(new URL('uploads', folder), form, options);
    return readAnswer(answer, `the server at ${folder.origin} did not take the upload`);
  }
  const upload = await sendResumable(new URL('resumable-uploads', folder), form, options);
  const problem = `the upload ${upload} is stored, but cannot be shown`;
  const response = await fetch(new URL(`uploads/${upload}`, folder), {
    headers: options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` },
    // Redirects are not followed: the token must be sent only to the given URL.
    redirect: 'manual',
    // Also used when the command was stopped meanwhile: a stored upload is still shown.
    signal: AbortSignal.timeout(SHOW_MS),
  }).catch((error: unknown) => {
    throw new TidemarkError('unavailable', `${problem}: ${reasonOf(error)}`, { upload }, error);
  });
  return readAnswer({ status: response.status, text: await response.text() }, problem);
}

async function findFile(path: string): Promise<FormFile> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { file: path });
  });
  if (!stats.isFile()) throw new TidemarkError('invalid', `${path} is not a regular file: name files`, { file: path });
  return { path, name: basename(path), length: stats.size, modified: stats.mtimeMs };
}

function startUploadBar(terminal: Terminal, files: readonly FormFile[]) {
  const total = bytesOf(files);
  const progress = startProgress(terminal);
  const isDrawn = drawsBars(terminal);
  const began = performance.now();
  let done = 0;
  /** Bytes sent by an earlier command. */
  let before: number | undefined;
  const show = (text: string) =>
    progress.show(isDrawn ? barLine(terminal, 'Uploading', { done, total, text }) : `Uploading: ${text}`);
  return {
    update(sent: number) {
      done = sent;
      before ??= sent;
      const rate = formatBytes(Math.round(((sent - before) * 1000) / Math.max(1, performance.now() - began)));
      show(`${formatBytes(sent)} of ${formatBytes(total)}, ${rate}/s`);
    },
    pause: (reason: string) => show(`${formatBytes(done)} of ${formatBytes(total)}, going on after a break: ${reason}`),
    end: () => progress.end(),
  };
}

/** @throws TidemarkError with the error of the server, after `problem` */
function readAnswer({ status, text }: FormAnswer, problem: string): StoredUpload {
  const value = parsedJson(text);
  const upload = STORED_UPLOAD.safeParse(value);
  if ((status === 201 || status === 200) && upload.success) return upload.data;
  const { error } = (value ?? {}) as { readonly error?: { readonly message?: unknown } };
  const message = typeof error?.message === 'string' ? error.message : `it answered ${status}`;
  const code =
    status >= 500 || status === 429 ? 'unavailable' : status === 401 || status === 403 ? 'forbidden' : 'invalid';
  throw new TidemarkError(code, `${problem}: ${message}`, { status });
}

function withoutToken({ message, details }: TidemarkError, organization: string): TidemarkError {
  const cure = `name a file with one by --token-file, or set TIDEMARK_TOKEN: a token of the scope upload:${organization}`;
  return new TidemarkError('forbidden', `${message}; ${cure}`, details);
}

function filesOrUrl(): TidemarkError {
  return new TidemarkError('invalid', 'name files, or a URL with --url: either of them, and not both');
}
