import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { openContents } from '../../src/sources/open-contents.ts';
import { SQLITE } from '../support/each-store.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { testContents, testOutsideSource, testSource } from './source.ts';

describe('the records of the newest artifact', () => {
  afterEach(closeApps);

  async function place() {
    const { app, folder } = await startApp(SQLITE, { recordsPollIntervalMs: 100 });
    const { artifacts, configuration, index, updater } = app;
    const origin = { kind: 'artifact', provider: 'cdl', activity: 'harvest' } as const;
    const set = await app.sets.add({ slug: 'cdl', origin });
    const contents = new Map<string, string>();
    let second = 0;
    const put = () =>
      putArtifact(
        artifacts,
        [...contents].map(([id, content]) => record(id, content)),
        { start: new Date(Date.UTC(2026, 0, 1, 0, 0, ++second)).toISOString() },
      );
    return {
      ...{ set, index, updater, source: app.sources.sourceOf(set) },
      keyOf: (name: string) => `/${name}`,
      write(name: string, content: string) {
        contents.set(name, content);
        return put();
      },
      remove(name: string) {
        contents.delete(name);
        return put();
      },
      lose: async ({ state }: { readonly state: { readonly record?: { readonly artifact: string } } }) =>
        artifacts.delete(state.record!.artifact),
      vanish: () => renameSync(join(folder, 'artifacts'), join(folder, 'away')),
      comeBack: () => renameSync(join(folder, 'away'), join(folder, 'artifacts')),
      contents: () => openContents({ kind: 'records', artifacts: configuration.artifacts }),
    };
  }
  testSource('an artifact', place);
  testOutsideSource('an artifact', place);
  testContents('an artifact', place);
});
