import assert from 'node:assert/strict';
import { EXAMPLE_BASE_URL } from '../../../scripts/make-examples.ts';
import { brokenRules, checkSource, linesOf } from '../../support/rules/check-source.ts';
import { HandmadeSample } from '../../support/rules/handmade-sample.ts';
import { OWNER_RULES } from '../../support/rules/owner.ts';
import { Sample } from '../../support/rules/sample.ts';
import { SampleFetcher } from '../../support/rules/sample-fetcher.ts';
import { FAULTS } from './faults.ts';
import { HANDMADE_FAULTS } from './handmade-faults.ts';

/** Faults that are found where another rule is broken by them, too. */
const FOUND_OTHERWISE: Readonly<Record<string, number>> = { 'such a hash in the list of the last changes': 78 };

/** A set that no description names is found only from below. */
const urlOf = (title: string) => (title === 'a set that is left out' ? '/sets/maps/capabilitylist.xml' : '/');

const check = (sample: Sample, url = `${EXAMPLE_BASE_URL}/`) =>
  checkSource(url, { fetcher: new SampleFetcher(sample), now: sample.readAt });

describe('the rules of ResourceSync', () => {
  it('are kept by what we publish', async () => {
    assert.deepEqual(linesOf(await check(new Sample())), []);
  });

  for (const [number, rule] of Object.entries(OWNER_RULES)) {
    it(`rule ${number} is kept by what we publish, as its owner knows`, () =>
      assert.deepEqual(rule(new Sample().source()), []));
  }

  for (const [number, title, plant] of FAULTS) {
    it(`rule ${number} is broken by ${title}`, async () => {
      const sample = new Sample();
      plant(sample);
      const report = await check(sample, EXAMPLE_BASE_URL + urlOf(title));
      assert.notEqual(report.findings.length, 0, 'the validator finds it');
      const byOwner = OWNER_RULES[number]?.(sample.source()) ?? [];
      assert.ok(
        brokenRules(report).includes(FOUND_OTHERWISE[title] ?? number) || byOwner.length > 0,
        linesOf(report).join('\n'),
      );
    });
  }
});

describe('the rules of what Tidemark does not publish', () => {
  const checkHandmade = (sample: HandmadeSample) =>
    checkSource(`${EXAMPLE_BASE_URL}/`, { fetcher: new SampleFetcher(sample.pack()), now: sample.readAt });

  // Clients that need several lists and hashes of everything are not what this source is for.
  const NOTES = [85, 120, 121, 124];

  it('are kept by a source that is right', async () => {
    const report = await checkHandmade(new HandmadeSample());
    assert.deepEqual(linesOf({ ...report, findings: report.findings.filter(({ rule }) => !NOTES.includes(rule)) }), []);
    assert.equal(report.packages, 2);
  });

  for (const [number, title, plant] of HANDMADE_FAULTS) {
    it(`rule ${number} is broken by ${title}`, async () => {
      const sample = new HandmadeSample();
      plant(sample);
      const report = await checkHandmade(sample);
      assert.ok(brokenRules(report).includes(number), linesOf(report).join('\n'));
    });
  }
});
