import { join } from 'node:path';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { Updater } from '../../../src/ingest/updater.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { openStores } from '../../../src/stores/open-stores.ts';
import { AppliedUploads } from '../../../test/support/applied-uploads.ts';
import { Catalogue } from '../../../test/support/marc-catalogue.ts';

/** Applies uploads of a catalogue to `lane/main`: `count` of `of` records, spread evenly, in a version. */
interface Options {
  readonly dataFolder: string;
  readonly number: number;
  readonly version: number;
  readonly count: number;
  readonly of: number;
}

/** Records of one upload: all of them are in memory. */
const UPLOAD = 50_000;

const { dataFolder, number, version, count, of }: Options = JSON.parse(process.argv[2]!);
const { index, catalog, close } = await openStores({ kind: 'sqlite', file: join(dataFolder, 'tidemark.db') });
const artifacts = openArtifacts({ kind: 'folder', folder: join(dataFolder, 'artifacts') });
const updater = new Updater(index);
const sets = new SetRegistry(catalog, index);
const place = { organization: 'lane', stream: 'main', folder: join(dataFolder, 'spool'), eventsPerCommit: 10_000 };
const uploads = new AppliedUploads({ index, catalog, artifacts, updater, sets }, place);
uploads.number = (number - 1) * 1_000;
const catalogue = new Catalogue({ seed: 1 });
const step = of / count;
for (let first = 0; first < count; first += UPLOAD) {
  const changes = new Map<string, Buffer>();
  for (let at = first; at < Math.min(first + UPLOAD, count); at++) {
    const record = Math.floor(at * step);
    changes.set(catalogue.idOf(record), catalogue.marc21({ number: record, version }));
  }
  await uploads.apply(changes);
}
await updater.idle();
await close();
await artifacts.close();
process.stdout.write('{}\n');
