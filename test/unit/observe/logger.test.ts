import assert from 'node:assert/strict';
import { loggedPath } from '../../../src/http/request/logged-path.ts';
import { createLogger } from '../../../src/observe/logs/logger.ts';

const TOKEN = `tdm_0123456789ab_${'x'.repeat(43)}`;
const SIGNED =
  'https://s3.example.org/bucket/a?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=0123456789abcdef&x-id=GetObject';

/** What a logger writes for a line. */
function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  const destination = {
    write(line: string) {
      text += line;
    },
  };
  write(createLogger('debug', destination));
  assert.ok(text.endsWith('\n'));
  JSON.parse(text);
  return text;
}

describe('A logger', () => {
  const SECRETS = /0123456789ab_x|AKIA|0123456789abcdef|open-sesame|c2VjcmV0|hunter2/;

  it('hides what gives access in fields, however deep', () => {
    const headers = {
      authorization: 'Bearer open-sesame',
      cookie: 'id=hunter2',
      'set-cookie': 'id=hunter2',
      accept: '*/*',
    };
    const text = logged((log) => log.info({ headers, request: { headers }, token: 'open-sesame' }, 'a line'));
    assert.doesNotMatch(text, SECRETS);
    assert.match(text, /"accept":"\*\/\*"/);
  });

  it('hides what gives access in texts', () => {
    for (const secret of [
      TOKEN,
      'Bearer open-sesame',
      'basic c2VjcmV0OnNlY3JldA==',
      SIGNED,
      'http://me:hunter2@host/',
    ]) {
      assert.doesNotMatch(
        logged((log) => log.warn(`it said ${secret}, and failed`)),
        SECRETS,
      );
      assert.doesNotMatch(
        logged((log) => log.warn({ detail: { of: [secret] } }, 'a line')),
        SECRETS,
      );
      assert.doesNotMatch(
        logged((log) => log.error({ err: new Error(secret) }, 'a line')),
        SECRETS,
      );
      assert.doesNotMatch(
        logged((log) => log.warn('it said %s', secret)),
        SECRETS,
      );
    }
  });

  it('logs the texts and causes of an error, and none of its other properties', () => {
    const error = Object.assign(new Error('the bucket refuses', { cause: new Error('AccessDenied') }), {
      code: 'EACCES',
      $response: { request: { headers: { 'x-amz-security-token': 'hunter2' } } },
    });
    const text = logged((log) => log.error({ err: error }, 'a line'));
    const { err } = JSON.parse(text);
    assert.equal(err.message, 'the bucket refuses');
    assert.equal(err.code, 'EACCES');
    assert.equal(err.cause.message, 'AccessDenied');
    assert.match(err.stack, /logger\.test\.ts/);
    assert.doesNotMatch(text, SECRETS);
  });

  it('leaves other texts as they are', () => {
    const text = 'https://data.example.org/sets/a/changelist.xml?from=2026-01-01T00:00:00Z is a basic list';
    assert.equal(JSON.parse(logged((log) => log.info(text))).msg, text);
  });
});

describe('The path of a request in a log', () => {
  it('has the values of parameters that hold no secrets, and of no other', () => {
    assert.equal(loggedPath('/sets/a/changelist.xml?from=2026-01-01'), '/sets/a/changelist.xml?from=2026-01-01');
    assert.equal(loggedPath(`/a?token=${TOKEN}&limit=5&x`), '/a?token=[hidden]&limit=5&x=[hidden]');
    assert.equal(loggedPath('/a?X-Amz-Signature=0123'), '/a?X-Amz-Signature=[hidden]');
  });

  it('is bounded', () => {
    assert.ok(loggedPath(`/${'a'.repeat(100_000)}`).length < 1100);
    assert.ok(loggedPath(`/a?${'from=1&'.repeat(100_000)}`).length < 1100);
  });
});
