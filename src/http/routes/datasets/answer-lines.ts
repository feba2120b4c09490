import type { Response } from 'express';
import type { AnswerLine } from '../../../api/dataset-view.ts';
import { isTidemarkError, type TidemarkError } from '../../../core/errors.ts';
import type { IngestRequest } from '../../../datasets/request.ts';
import { type RequestLine, readRequestLines } from '../../../datasets/request-lines.ts';
import { requestId } from '../../../datasets/results/requests.ts';
import { errorAnswer } from '../../response/error-answer.ts';
import { LineWriter } from '../../response/line-writer.ts';

/** Adds the requests of a stream, and responds with a line for each; the last line shows whether all was read. */
export async function answerWithLines(
  response: Response,
  body: AsyncIterable<Buffer>,
  { idleTimeoutMs, add }: { readonly idleTimeoutMs: number; add(requests: readonly IngestRequest[]): Promise<unknown> },
): Promise<void> {
  const lines = new LineWriter(response, { idleTimeoutMs, status: 202 });
  const totals = { added: 0, rejected: 0 };
  try {
    for await (const batch of readRequestLines(body)) {
      const results = await addBatch(batch, add);
      for (const { status } of results) totals[status] += 1;
      await lines.write(results.map(asLine).join(''));
    }
  } catch (error) {
    if (!response.headersSent || response.destroyed) throw error;
    response.end(asLine({ complete: false, ...totals, ...errorAnswer(error).body }));
    throw error;
  }
  await lines.write(asLine({ complete: true, ...totals }));
  response.end();
}

/** Adds the requests of a batch together; when that fails, one by one, so that each has its own answer. */
async function addBatch(
  batch: readonly RequestLine[],
  add: (requests: readonly IngestRequest[]) => Promise<unknown>,
): Promise<readonly AnswerLine[]> {
  const requests = batch.flatMap(({ request }) => (request === undefined ? [] : [request]));
  const isAdded = await add(requests).then(() => true, unlessRefused);
  const answers: AnswerLine[] = [];
  for (const { number, request, problem } of batch) {
    if (request === undefined) {
      answers.push({ number, status: 'rejected', ...problem });
      continue;
    }
    const refusal = isAdded ? undefined : await add([request]).then(() => undefined, refusalOf);
    const added = { status: 'added', id: requestId(request), base_url: request.base_url } as const;
    answers.push({ number, ...(refusal ?? added) });
  }
  return answers;
}

function unlessRefused(error: unknown): boolean {
  if (!isTidemarkError(error, 'invalid') && !isTidemarkError(error, 'conflict')) throw error;
  return false;
}

function refusalOf(error: unknown) {
  unlessRefused(error);
  const { code, message } = error as TidemarkError;
  return { status: 'rejected', code, message } as const;
}

function asLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
