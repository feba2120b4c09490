import assert from 'node:assert/strict';
import { Sample } from '../../support/rules/sample.ts';
import { RULES } from '../../support/rules.ts';
import { FAULTS } from './faults.ts';

describe('the rules of ResourceSync', () => {
  const right = new Sample().source();

  for (const [number, rule] of Object.entries(RULES)) {
    it(`rule ${number} is kept by what we publish`, () => assert.deepEqual(rule(right), []));
  }

  for (const [number, title, plant] of FAULTS) {
    it(`rule ${number} is broken by ${title}`, () => {
      const sample = new Sample();
      plant(sample);
      assert.notDeepEqual(RULES[number]!(sample.source()), []);
    });
  }
});
