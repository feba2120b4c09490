import { pipeline, type Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/**
 * Most bytes of a response that is read as a whole. A list of 1,000 keys of 1,024 bytes, each percent-encoded, has 4
 * MB.
 */
const MOST_BYTES = 16 * 1024 * 1024;

/** Limits the length of responses, except for the bytes of an object: those are streamed. */
export function limitAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (input) => {
        const result = await next(input);
        const response = result.response as { readonly statusCode: number; body: Readable };
        const isObject = commandName === 'GetObjectCommand' && response.statusCode < 300;
        if (!isObject) response.body = limited(response.body);
        return result;
      },
    // `low` makes it the innermost middleware of this step: it sees the response first.
    { step: 'deserialize', priority: 'low', name: 'limitAnswers' },
  );
}

class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

function limited(body: Readable): Readable {
  let bytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) done(new AnswerTooLong(`an answer of S3 has more than ${MOST_BYTES} bytes`));
      else done(null, chunk);
    },
  });
  // The reader of the stream gets the error.
  pipeline(body, limit, () => {});
  return limit;
}
