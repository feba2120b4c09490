// Organizations beside that of sample-organizations.ts, for the page over all of them. Their files are not stored.
import type { App } from '../src/app.ts';
import { uploadId } from '../src/records/arrivals/upload.ts';

const DAY = 86_400_000;

/** Ids with titles, the share of nights on which they upload, and the days since the last one. */
const NEIGHBOURS = [
  ['brown', 'Brown University', 0.9, 0],
  ['cornell', 'Cornell University Library', 0.6, 12],
  ['mit', 'MIT Libraries', 0.3, 0],
  ['princeton', 'Princeton University Library', 0.75, 1],
] as const;

export async function fillSampleNeighbours({ records, catalog }: App, now: number): Promise<void> {
  for (const [id, title, share, since] of NEIGHBOURS) {
    await records.organizations.add(id, { contacts: [], title, private: id === 'mit' });
    await records.organizations.addStream(id, 'main');
    let number = 0;
    for (let day = 40; day >= since; day--) {
      if ((day * 7919 + id.length * 31) % 100 > share * 100) continue;
      number += 1;
      const received = now - day * DAY - DAY / 12;
      const files = [
        { name: 'new.mrc', length: 3_000_000 * (1 + (day % 7)), sha256: '0'.repeat(64), artifact: 'none' },
      ];
      const by = { token: '0'.repeat(12), name: 'nightly job', address: '192.0.2.1' };
      const name = { organization: id, stream: 'main', number };
      const applied = { at: received, created: 1, updated: 0, deleted: 0, unchanged: 0, superseded: 0 };
      const hasFailed = id === 'brown' && day < 15 && day % 5 === 0;
      const state = hasFailed ? { failure: { at: received, error: 'new.mrc is empty', isFinal: true } } : { applied };
      await catalog.put(
        'upload',
        uploadId(id, 'main', number),
        { ...name, received, files, by, token: 'sample' },
        undefined,
      );
      await catalog.put('upload-state', uploadId(id, 'main', number), state, undefined);
    }
  }
}
