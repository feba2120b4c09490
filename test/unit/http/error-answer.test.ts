import assert from 'node:assert/strict';
import { noSuchObject, unreadable } from '../../../src/artifacts/store-errors.ts';
import { TidemarkError } from '../../../src/core/errors.ts';
import { errorAnswer, logFault } from '../../../src/http/response/error-answer.ts';
import { bucketError } from '../../../src/lib/s3/bucket-errors.ts';
import { parseS3Location } from '../../../src/lib/s3/s3-location.ts';
import { createLogger } from '../../../src/observe/logs/logger.ts';
import { openError } from '../../../src/sources/file-errors.ts';

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

describe('The log of a failed request', () => {
  const request = { requestId: 'mine-1', method: 'GET', url: '/sets/maps/resources/a.txt' };

  function logged(error: unknown): readonly Record<string, unknown>[] {
    const lines: string[] = [];
    logFault(createLogger('debug', { write: (line) => lines.push(line) }), error, request);
    return lines.map((line) => JSON.parse(line));
  }

  it('has a warning without stacks for a file or a store that cannot be used', () => {
    const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open' });
    const about = { requestId: 'mine-1', method: 'GET', path: '/sets/maps/resources/a.txt' };
    const [line] = logged(openError('a.txt', denied));
    const { time: _, msg, ...fields } = line!;
    assert.deepEqual(fields, { level: 'warn', ...about, code: 'unavailable' });
    assert.match(String(msg), /^a request failed: "a\.txt" cannot be read: .*permission denied/i);
    assert.equal(logged(new TidemarkError('unavailable', 'the store does not answer'))[0]!.level, 'warn');
  });

  it('has an error with its stack for what is not expected, and nothing for what comes too early', () => {
    for (const error of [new TypeError('a mistake'), new TidemarkError('incompatible', 'the store is newer')]) {
      const [{ level, err }] = logged(error) as [{ level: string; err: Error }];
      assert.equal(level, 'error');
      assert.match(err.stack!, /error-answer\.test/);
    }
    assert.deepEqual(logged(new TidemarkError('not-ready', 'not yet')), []);
  });
});
