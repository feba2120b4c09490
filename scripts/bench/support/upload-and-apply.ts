import { openAsBlob } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from './tidemark.ts';

export interface AppliedUpload {
  readonly created: number;
  readonly unchanged: number;
  readonly seconds: number;
}

/** Uploads a file of MARC21 to `lane/main`: from the beginning of the upload until its last record is committed. */
export async function uploadAndApply({ url, client }: Server, file: string): Promise<AppliedUpload> {
  const began = performance.now();
  const form = new FormData();
  form.append('files', await openAsBlob(file), 'full.mrc');
  const answer = await fetch(`${url}/api/organizations/lane/uploads`, { method: 'POST', body: form });
  if (answer.status !== 201) throw new Error(`the upload was answered with ${answer.status}: ${await answer.text()}`);
  const { number } = (await answer.json()) as { readonly number: number };
  for (;;) {
    const { body } = await client.get(`/api/jobs/process-upload/lane~main~${number}`);
    const { state, result, error } = JSON.parse(body.toString());
    if (state === 'failed') throw new Error(error);
    if (state === 'done') return { ...result, seconds: (performance.now() - began) / 1000 };
    await wait(100);
  }
}
