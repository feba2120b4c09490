import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adviceOf } from '../../../src/client/validate/rules/advice.ts';
import { RULE_TABLE } from '../../../src/client/validate/rules/rule-table.ts';
import { RULES } from '../../../src/client/validate/rules/rules.ts';
import { OWNER_RULES } from '../../support/rules/owner.ts';
import { FAULTS } from './faults.ts';
import { HANDMADE_FAULTS } from './handmade-faults.ts';

const SCHEMA_TESTS = join(import.meta.dirname, '../publish/documents-schema.test.ts');

const entries = RULE_TABLE.flatMap(({ rules }) => rules);
const numbersOf = (...judged: readonly string[]) =>
  entries.filter((rule) => judged.includes(rule[3])).map(([number]) => number);

describe('the table of rules', () => {
  it('has every number from 1 to 124 once, in order', () => {
    const expected = Array.from({ length: 124 }, (_, at) => at + 1);
    assert.deepEqual(
      entries.map(([number]) => number),
      expected,
    );
  });

  it('has a function for each rule that is not about schemas or subscribers', () => {
    const judged = new Set([...Object.keys(RULES), ...Object.keys(OWNER_RULES)].map(Number));
    assert.deepEqual(
      numbersOf('documents', 'source', 'packages').filter((number) => !judged.has(number)),
      [],
    );
  });

  it('has advice for each rule that the validator checks, and for no other', () => {
    for (const [number] of entries) assert.equal(adviceOf(number) !== '', number in RULES, `rule ${number}`);
  });

  it('has a planted fault for each of them', () => {
    assert.deepEqual([...new Set(FAULTS.map(([number]) => number))], numbersOf('documents', 'source'));
  });

  it('has a planted fault for each rule that is judged from packages or channels', () => {
    const planted = new Set(HANDMADE_FAULTS.map(([number]) => number));
    assert.deepEqual(
      numbersOf('packages', 'subscribers').filter((number) => number in RULES && !planted.has(number)),
      [],
    );
  });

  it('has a test of the schemas for each rule that they keep', () => {
    const tests = readFileSync(SCHEMA_TESTS, 'utf8');
    for (const number of numbersOf('schema')) assert.ok(tests.includes(`'rule ${number}: `), `rule ${number}`);
  });

  it('has as many rules as README says', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
    assert.ok(readme.includes(`All ${entries.length} rules of ResourceSync 1.1`));
  });

  it('has a reason in docs/validator.md for each rule that is not checked', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/validator.md'), 'utf8');
    const [, table = ''] = page.split('are not checked at all:');
    const given = table.split('\n## ')[0]!.matchAll(/^\| ([\d, ]+) \|/gm);
    const numbers = Array.from(given, ([, text]) => text!.split(', ').map(Number)).flat();
    const unchecked = entries.map(([number]) => number).filter((number) => RULES[number] === undefined);
    assert.deepEqual(numbers, unchecked);
  });
});
