import assert from 'node:assert/strict';
import { HttpError } from '../../../src/http/request/http-error.ts';
import { mediaTypeOf, requireMediaType } from '../../../src/http/request/media-types.ts';

const UNDERSTOOD = ['application/json', 'application/x-ndjson'];

describe('The media type of a body', () => {
  for (const contentType of [
    'application/json',
    'APPLICATION/Json',
    '  application/json  ',
    'application/json;',
    'application/json;charset=utf-8',
    'application/json ; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; version=2; charset=utf-8; x="y"',
    'application/json; charset=utf-8; charset="UTF-8"',
  ]) {
    it(`may be ${JSON.stringify(contentType)}`, () => {
      requireMediaType({ 'content-type': contentType }, UNDERSTOOD);
      assert.equal(mediaTypeOf({ 'content-type': contentType }), 'application/json');
    });
  }

  for (const contentType of [
    undefined,
    '',
    ';',
    'json',
    'application',
    'application/json+xml',
    'application/problem+json',
    'text/plain',
    'text/plain; application/json',
    'application/json, text/plain',
    'application/json text/plain',
    'application/json; charset=latin1',
    'application/json; charset=',
    'application/json; charset',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-16; charset=utf-8',
    'application/json; charset = utf-16',
    "application/json; charset*=utf-8''utf-16",
    'multipart/form-data; boundary=application/json',
  ]) {
    it(`may not be ${contentType === undefined ? 'missing' : JSON.stringify(contentType)}`, () => {
      const headers = contentType === undefined ? {} : { 'content-type': contentType };
      assert.throws(
        () => requireMediaType(headers, UNDERSTOOD),
        (error) => {
          assert.ok(error instanceof HttpError);
          assert.equal(error.status, 415);
          assert.equal(error.headers.Accept, 'application/json, application/x-ndjson');
          return true;
        },
      );
    });
  }
});
