import assert from 'node:assert/strict';
import { ANONYMOUS } from '../../src/access/principal.ts';
import { QuickAnswers } from '../../src/http/response/quick-answers.ts';

const MOST = 1_000_000;

describe('Quick answers', () => {
  let answers: QuickAnswers;
  beforeEach(() => {
    answers = new QuickAnswers(MOST);
  });

  const keep = (key: string, length: number, moment = 'now') =>
    answers.keep({
      key,
      moment,
      sender: ANONYMOUS,
      route: '/',
      head: [],
      validators: { etag: `"${length}"`, lastModified: undefined, dateTellsVersions: false },
      body: Buffer.alloc(length),
    });
  const wholeOf = (key: string) => answers.find(key)?.variants.get(undefined)?.whole;

  it('keep to their bound, and what was used last', () => {
    for (let number = 0; number < 500; number++) {
      keep(`${number}`, 100_000);
      assert.ok(answers.bytes <= MOST, `${answers.bytes}`);
      answers.find('0');
    }
    assert.ok(wholeOf('0'));
    assert.ok(wholeOf('499'));
    assert.equal(wholeOf('490'), undefined);
  });

  it('count a body that is gone for as long as it is being sent', () => {
    keep('slow', 400_000);
    const given = [answers.lend(wholeOf('slow')!), answers.lend(wholeOf('slow')!)];
    for (let number = 0; number < 20; number++) keep(`${number}`, 300_000);
    assert.equal(wholeOf('slow'), undefined);
    assert.ok(answers.bytes <= MOST && answers.bytes >= 700_000, `${answers.bytes}`);
    for (const give of given) give();
    for (let number = 0; number < 20; number++) answers.remove(`${number}`);
    assert.equal(answers.bytes, 0);
  });

  it('make room for one reader of a body at a time, and none for what does not fit', () => {
    assert.equal(answers.claim('a', 600_000), true);
    assert.equal(answers.claim('a', 600_000), false);
    assert.equal(answers.claim('b', 600_000), false);
    answers.release('a');
    assert.equal(answers.claim('b', 600_000), true);
    answers.release('b');
    assert.equal(answers.bytes, 0);
    assert.equal(answers.claim('c', MOST + 1), false);
  });

  it('are made anew after some seconds, but for those that tell themselves whether they are current', () => {
    const given = { moment: 'now', sender: ANONYMOUS, route: '/', head: [] };
    const validators = { etag: '"a"', lastModified: undefined, dateTellsVersions: false };
    answers.keep({ ...given, key: 'document', validators });
    answers.keep({ ...given, key: 'file', validators, isCurrent: async () => true });
    const inAMinute = Date.now() + 60_000;
    assert.ok(answers.find('document')!.until < inAMinute);
    assert.ok(answers.find('file')!.until > inAMinute);
  });

  it('forget what was answered at another moment', () => {
    keep('a', 1000, 'before');
    keep('a', 2000, 'after');
    assert.equal(answers.find('a')?.moment, 'after');
    assert.equal(wholeOf('a')?.body.length, 2000);
    answers.remove('a');
    assert.equal(answers.bytes, 0);
  });
});
