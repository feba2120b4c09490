import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { MAX_LINE_BYTES, type NdjsonLine, NdjsonLines } from '../../../src/lib/bytes/ndjson-lines.ts';

describe('Lines of a stream', () => {
  it('are the same however the bytes are cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '🌊', '\n', '\r', ' ', '"') });
    // biome-ignore lint/nursery/noFloatingPromises: the property is not asynchronous
    fc.assert(
      fc.property(text, fc.array(fc.nat(40), { maxLength: 20 }), (text, cuts) => {
        const expected = text
          .split('\n')
          .map((line, at) => ({ number: at + 1, text: line }))
          .filter(({ text }) => text.replace(/[\r ]/g, '') !== '');
        assert.deepEqual(linesOf(cut(Buffer.from(text), cuts)), expected);
      }),
    );
  });

  it('have at most a megabyte, to the byte', () => {
    const longest = Buffer.alloc(MAX_LINE_BYTES, 'x');
    const tooLong = Buffer.alloc(MAX_LINE_BYTES + 1, 'x');
    const newline = Buffer.from('\n');
    for (const size of [1000, MAX_LINE_BYTES, 10 * MAX_LINE_BYTES]) {
      const bytes = Buffer.concat([longest, newline, tooLong, newline, longest, newline, tooLong]);
      const cuts = Array(Math.ceil(bytes.length / size)).fill(size);
      const problems = linesOf(cut(bytes, cuts)).map(({ problem }) => problem);
      assert.deepEqual(problems, [undefined, 'line-too-long', undefined, 'line-too-long']);
    }
  });

  it('have no byte order mark, where one begins the stream', () => {
    assert.deepEqual(linesOf([Buffer.from('\ufeffa\n\ufeffb\ufeff\n')]), [
      { number: 1, text: 'a' },
      { number: 2, text: '\ufeffb\ufeff' },
    ]);
    assert.deepEqual(linesOf([Buffer.from('a\ufeff\n')]), [{ number: 1, text: 'a\ufeff' }]);
  });

  it('that are too long are counted', () => {
    const lines = new NdjsonLines(4);
    const text = 'abcde\nabcd\né é é\n\nééa\néé\n';
    const whole = lines.push(Buffer.from(text));
    const bytewise = new NdjsonLines(4);
    assert.deepEqual(Array.from(Buffer.from(text), (byte) => bytewise.push(Buffer.from([byte]))).flat(), whole);
    assert.deepEqual(
      whole.map(({ number, problem }) => [number, problem]),
      [
        [1, 'line-too-long'],
        [2, undefined],
        [3, 'line-too-long'],
        [5, 'line-too-long'],
        [6, undefined],
      ],
    );
    assert.deepEqual(lines.end(), []);
  });

  it('that are not UTF-8 spoil no other', () => {
    const bytes = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xc3]), Buffer.from('\né\n'), Buffer.from([0xff])]);
    assert.deepEqual(linesOf([bytes]), [
      { number: 1, text: 'a' },
      { number: 2, problem: 'not-utf-8' },
      { number: 3, text: 'é' },
      { number: 4, problem: 'not-utf-8' },
    ]);
  });
});

function linesOf(chunks: readonly Buffer[]): readonly NdjsonLine[] {
  const lines = new NdjsonLines();
  return [...chunks.flatMap((chunk) => lines.push(chunk)), ...lines.end()];
}

/** Cuts bytes into pieces of these lengths; what is left is the last piece. */
function cut(bytes: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  let start = 0;
  for (const length of lengths) {
    chunks.push(bytes.subarray(start, start + length));
    start += length;
  }
  return [...chunks, bytes.subarray(start)];
}
