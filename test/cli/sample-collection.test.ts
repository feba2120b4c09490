import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { SampleCollection } from '../../src/cli/commands/demo/sample-collection.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('The collection of the demo', () => {
  const folder = useTempFolder();
  const files = () => readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((at) => at.isFile());

  it('neither runs empty nor grows, however often it changes', async () => {
    const collection = new SampleCollection(folder.path);
    await collection.make();
    const before = files().length;
    for (let step = 0; step < 600; step++) await collection.change();

    assert.equal(files().length, before);
  });

  it('goes on when a person removes its files', async () => {
    const collection = new SampleCollection(folder.path);
    await collection.make();
    for (let step = 0; step < 30; step++) {
      for (const name of readdirSync(folder.path)) rmSync(folder.at(name), { recursive: true });
      await collection.change();
    }

    assert.ok(files().length > 0);
  });
});
