import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJson } from '../../../../src/datasets/fetch/parse-json.ts';

describe('parseJson', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it('refuses what is nested too deeply, whatever its strings contain', () => {
    assert.doesNotThrow(() => parseJson(nested(64)));
    assert.throws(() => parseJson(nested(65)), /nested more than 64 levels/);
    assert.throws(() => parseJson('{"a":'.repeat(100_000)), /nested more than 64 levels/);
    assert.throws(() => parseJson(`["a\\\\",${nested(64)}]`), /nested more than 64 levels/);
    const text = JSON.stringify({ text: `${'['.repeat(100)}\\"${'{'.repeat(100)}` });
    assert.deepEqual(parseJson(text), JSON.parse(text));
    assert.throws(() => parseJson('["'), SyntaxError);
  });

  it('refuses more than a million values: a short text may take many times its bytes of memory', () => {
    assert.throws(() => parseJson(`[${'{},'.repeat(500_000)}1]`), /more than 1,000,000 values/);
    assert.doesNotThrow(() => parseJson(`["${','.repeat(1_000_001)}"${',1'.repeat(999_998)}]`));
  });

  it('parses all other JSON', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 10 }), (text) => assert.deepEqual(parseJson(text), JSON.parse(text))));
  });
});
