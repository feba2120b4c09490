import assert from 'node:assert/strict';
import { type Answer, ask } from './ask.ts';

export const TUS = { 'Tus-Resumable': '1.0.0' };

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Begins a resumable upload. @param length undefined when it is sent later */
export function beginTus(
  url: string,
  length: number | undefined,
  metadata: Readonly<Record<string, string>> = { filename: 'a.mrc' },
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const pairs = Object.entries(metadata).map(([key, value]) => `${key} ${base64(value)}`);
  const size = length === undefined ? { 'Upload-Defer-Length': '1' } : { 'Upload-Length': `${length}` };
  return ask(url, {
    method: 'POST',
    headers: { ...TUS, ...size, 'Upload-Metadata': pairs.join(','), ...headers },
  });
}

/** Begins one, and returns where its bytes go. */
export async function begunTus(...args: Parameters<typeof beginTus>): Promise<string> {
  const answer = await beginTus(...args);
  assert.equal(answer.status, 201, answer.text);
  return new URL(answer.headers.location!, args[0]).href;
}

export function sendTus(
  url: string,
  offset: number,
  body: Buffer,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const type = { 'Content-Type': 'application/offset+octet-stream' };
  const headers = { ...TUS, 'Upload-Offset': `${offset}`, ...type, ...more };
  return ask(url, { method: 'PATCH', headers, body });
}

/** How many bytes are stored, and which upload it has become. */
export async function tusStatus(
  url: string,
): Promise<{ readonly offset: number; readonly upload: string | undefined }> {
  const { status, headers } = await ask(url, { method: 'HEAD', headers: TUS });
  assert.equal(status, 200);
  return { offset: Number(headers['upload-offset']), upload: headers['tidemark-upload'] as string | undefined };
}
