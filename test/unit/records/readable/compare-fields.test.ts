import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readableMarc } from '../../../../src/records/forms/marc/readable/readable-marc.ts';
import { compareFields } from '../../../../src/records/readable/compare-fields.ts';
import type { ReadableField } from '../../../../src/records/readable/readable-record.ts';
import { sampleVersion, subfieldA } from '../../../support/sample-versions.ts';

/** A field as text: `245 10 $a [-old-]{+new+} text`, with `+`, `-` or `~` in front of what differs. */
function textOf({ tag, indicators = '', indicatorsBefore, subfields, change }: ReadableField): string {
  const sign = { added: '+', removed: '-', changed: '~' };
  const value = subfields.map(({ code, codeMark, parts }) => {
    const text = parts.map(({ text, mark }) => marked(text, mark)).join('');
    return code === undefined ? text : `${marked(`$${code}`, codeMark)} ${text}`;
  });
  const were = indicatorsBefore === undefined ? '' : `[-${indicatorsBefore}-]`;
  return `${change === undefined ? ' ' : sign[change]}${tag} ${were}${indicators} ${value.join(' ')}`;
}

function marked(text: string, mark: string | undefined): string {
  if (mark === undefined) return text;
  return mark === 'added' ? `{+${text}+}` : `[-${text}-]`;
}

const fieldsOf = (...given: Parameters<typeof sampleVersion>) => readableMarc(sampleVersion(...given));
const field = (tag: string, value: string): ReadableField => ({
  tag,
  indicators: '##',
  subfields: [{ code: 'a', parts: [{ text: value }] }],
});

describe('The comparison of two versions of a record', () => {
  const differences = (before: readonly ReadableField[], after: readonly ReadableField[]) =>
    compareFields(before, after)
      .fields.filter(({ change }) => change !== undefined)
      .map(textOf);

  it('marks the words that differ, and leaves out lengths in the leader', () => {
    const after = fieldsOf({ 300: subfieldA('300', '214 pages, maps ; 22 cm') });
    assert.deepEqual(differences(fieldsOf(), after), ['~300 ## $a [-212-]{+214+} pages{+,+} {+maps +}; 22 cm']);
    assert.deepEqual(differences(fieldsOf(), fieldsOf()), []);
  });

  it('marks other indicators, and subfields that are new', () => {
    const title = {
      tag: '245',
      indicators: '13',
      subfields: [
        { code: '6', value: '880-01' },
        { code: 'a', value: 'Shirim ve-sipurim /' },
        { code: 'h', value: 'text' },
        { code: 'c', value: 'Hayim <b>Bialik</b>.' },
      ],
    };
    assert.deepEqual(differences(fieldsOf(), fieldsOf({ 245: title })), [
      '~245 [-10-]13 $6 880-01 $a Shirim ve-sipurim / {+$h+} {+text+} $c Hayim <b>Bialik</b>.',
    ]);
  });

  it('respects the order of fields', () => {
    const [a, b, c] = [field('650', 'Alps'), field('650', 'Boats'), field('650', 'Cats')];
    assert.deepEqual(differences([a, b], [b, a]), ['-650 ## $a Alps', '+650 ## $a Alps']);
    assert.deepEqual(differences([a, c], [a, b, c]), ['+650 ## $a Boats']);
    assert.deepEqual(differences([a, b], [a]), ['-650 ## $a Boats']);
  });

  it('shows fields with hardly a common word as removed and added', () => {
    const fields = differences([field('650', 'Mountaineering')], [field('650', 'Shipbuilding')]);
    assert.deepEqual(fields, ['-650 ## $a Mountaineering', '+650 ## $a Shipbuilding']);
  });

  it('has all of both versions, whatever they are', () => {
    const some = fc.array(
      fc.record({ tag: fc.constantFrom('100', '245', '650'), value: fc.string({ maxLength: 12 }) }),
    );
    const withoutDelimiters = (text: string) => text.replaceAll('\x1f', '');
    const made = some.map((list) => list.map(({ tag, value }) => field(tag, withoutDelimiters(value))));
    const kept = (fields: readonly ReadableField[], gone: 'added' | 'removed') =>
      fields
        .filter(({ change }) => change !== gone)
        .map(({ tag, subfields }) =>
          [
            tag,
            ...subfields.flatMap(({ parts }) => parts.filter(({ mark }) => mark !== gone).map(({ text }) => text)),
          ].join(''),
        );
    fc.assert(
      fc.property(made, made, (before, after) => {
        const { fields } = compareFields(before, after);
        assert.deepEqual(kept(fields, 'added'), kept(before, 'added'));
        assert.deepEqual(kept(fields, 'removed'), kept(after, 'removed'));
      }),
      { numRuns: 300 },
    );
  });

  it('takes no more than seconds for 10,000 other fields, and for long fields of which much differs', () => {
    const many = (word: string) => Array.from({ length: 10_000 }, (_, at) => field('650', `${word} ${at}`));
    const long = (seed: number) =>
      Array.from({ length: 10 }, (_, at) =>
        field('520', Array.from({ length: 2_000 }, (_, word) => (word * seed + at) % 977).join(' ')),
      );
    const begin = performance.now();
    assert.equal(compareFields(many('alps'), many('boats')).isOther, true);
    compareFields(long(7), long(11));
    assert.ok(performance.now() - begin < 10_000, `${performance.now() - begin} ms`);
  });
});
