import assert from 'node:assert/strict';
import { SOURCE_SETTINGS, setSettingOf } from '../../../src/config/set/set-settings.ts';
import { SOURCE_OPTIONS } from '../../../src/core/origin.ts';

describe('the settings that name a source', () => {
  it('have the options that messages name', () => {
    const options = SOURCE_SETTINGS.map(({ name }) => setSettingOf(name).flags[0]!.flag.split(' ')[0]);
    assert.deepEqual(SOURCE_OPTIONS.split(/, | or /), options);
  });

  it('say in the summary of sets add which option it is', () => {
    for (const { name, source } of SOURCE_SETTINGS) assert.ok(source.summary.endsWith(`(--${name})`), source.summary);
  });
});
