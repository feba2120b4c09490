import assert from 'node:assert/strict';
import { noSuchObject, unreadable } from '../../../src/artifacts/store-errors.ts';
import { errorAnswer } from '../../../src/http/response/error-answer.ts';
import { bucketError } from '../../../src/lib/s3/bucket-errors.ts';
import { parseS3Location } from '../../../src/lib/s3/s3-location.ts';

describe('The answer to an error of the artifact store', () => {
  const location = parseS3Location('s3://secret-bucket/below?endpoint=http://secret-host:9000', 'artifacts');

  it('names neither its bucket nor its server', () => {
    const refused = Object.assign(new Error(), { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
    const store = 's3://secret-bucket/below';
    const errors = [bucketError(location, 'artifacts', refused), unreadable(noSuchObject(store, 'a/b'), 'a/b', store)];
    const answers = errors.map((error) => errorAnswer(error));
    for (const { status, headers } of answers) assert.deepEqual([status, headers['Retry-After']], [503, '10']);
    assert.deepEqual(
      answers.map(({ body }) => body.error.message),
      ['the artifact store is unavailable for now', 'the artifact a/b is not in … (any more): put it back'],
    );
    assert.doesNotMatch(JSON.stringify(answers), /secret/);
  });
});
