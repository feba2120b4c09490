import { request } from 'node:http';
import { type Answer, ask } from './ask.ts';

/** A part of a form: a field, or a file with its name. */
export interface FormPart {
  readonly name?: string;
  readonly fileName?: string;
  readonly value: string | Buffer;
}

const BOUNDARY = 'the-boundary';
export const FORM_HEADERS = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

export function file(fileName: string, value: string | Buffer): FormPart {
  return { name: 'files', fileName, value };
}

export function field(name: string, value: string): FormPart {
  return { name, value };
}

export function formOf(parts: readonly FormPart[]): Buffer {
  const chunks = parts.flatMap(({ name = 'files', fileName, value }) => {
    const label = fileName === undefined ? '' : `; filename="${fileName}"`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${label}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')];
  });
  return Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Posts a form. */
export async function postForm(
  url: string,
  parts: readonly FormPart[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer & { readonly json: ReturnType<typeof JSON.parse> }> {
  const body = formOf(parts);
  const sent = { ...FORM_HEADERS, 'Content-Length': String(body.length), ...headers };
  const answer = await ask(url, { method: 'POST', headers: sent, body });
  return { ...answer, json: JSON.parse(answer.text) };
}

/** Sends the beginning of a body, and returns a function that breaks the connection off. */
export async function beginBody(url: string, bytes: Buffer, length: number): Promise<() => void> {
  const asking = request(url, { method: 'POST', headers: { ...FORM_HEADERS, 'Content-Length': length }, agent: false });
  asking.on('error', () => {});
  await new Promise<void>((resolve, reject) => asking.write(bytes, (error) => (error ? reject(error) : resolve())));
  return () => asking.destroy();
}
