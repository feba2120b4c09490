import { openAsBlob } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from './tidemark.ts';

export interface AppliedUpload {
  readonly number: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly seconds: number;
}

/** Uploads a file of MARC21 to `lane/main`: from the beginning of the upload until its last record is committed. */
export async function uploadAndApply(server: Server, file: string): Promise<AppliedUpload> {
  const { url } = server;
  const began = performance.now();
  const form = new FormData();
  form.append('files', await openAsBlob(file), 'full.mrc');
  const answer = await fetch(`${url}/api/organizations/lane/uploads`, { method: 'POST', body: form });
  if (answer.status !== 201) throw new Error(`the upload was answered with ${answer.status}: ${await answer.text()}`);
  return applied(server, ((await answer.json()) as { readonly number: number }).number, began);
}

/** Requests a delivery that reads `lane/main` again: from the request until its last record is committed. */
export async function readAgain(server: Server, method: 'POST' | 'DELETE', path: string): Promise<AppliedUpload> {
  const began = performance.now();
  const answer = await fetch(`${server.url}/api/organizations/lane/${path}`, { method });
  if (answer.status !== 202) throw new Error(`the request was answered with ${answer.status}: ${await answer.text()}`);
  return applied(server, ((await answer.json()) as { readonly number: number }).number, began);
}

async function applied({ client }: Server, number: number, began: number): Promise<AppliedUpload> {
  for (;;) {
    const { body } = await client.get(`/api/jobs/process-upload/lane~main~${number}`);
    const { state, result, error } = JSON.parse(body.toString());
    if (state === 'failed') throw new Error(error);
    if (state === 'done') return { number, ...result, seconds: (performance.now() - began) / 1000 };
    await wait(100);
  }
}
