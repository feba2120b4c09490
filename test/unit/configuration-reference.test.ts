import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { settingsReference } from '../../src/config/settings-reference.ts';

describe('docs/configuration.md', () => {
  it('has the table of settings that the code has', () => {
    const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

    assert.ok(page.includes(settingsReference()), `replace the table by this one:\n\n${settingsReference()}`);
  });
});
