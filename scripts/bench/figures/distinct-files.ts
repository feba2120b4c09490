import { randomBytes } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../../test/support/free-port.ts';
import type { Bench } from '../figure.ts';
import { Nginx } from '../support/nginx.ts';
import { median } from '../support/spread.ts';
import { Tidemark } from '../support/tidemark.ts';
import { walkPaths } from '../support/walk-paths.ts';

const FILES = 50_000;
const BYTES = 1024;
const CONNECTIONS = 16;

export const distinctFiles: Bench = {
  name: 'distinct-files',
  about: 'fetching 50,000 files of 1 kB once each, beside nginx with its default configuration (needs nginx-light)',

  async run({ runs, scale, folder, log }) {
    const count = Math.round(FILES * scale);
    const root = folder.next('root');
    writeFiles(root, count);
    const tidemark = await Tidemark.create(folder.next('data'));
    await tidemark.addFolder('files', root);
    await tidemark.run('scan', 'files');
    const nginx = new Nginx(folder.next('nginx'), await findFreePort());
    const server = await tidemark.start(['serve'], { TIDEMARK_ACCESS_LOG: 'false' });
    try {
      await nginx.startOn(root);
      await server.client.get('/readyz');
      const names = Array.from({ length: count }, (_, number) => `${number}.bin`);
      const ours: number[] = [];
      const theirs: number[] = [];
      // The first run fills the cache of the file system, and does not count.
      for (let run = 0; run <= runs; run++) {
        const our = await walkPaths(
          server.url,
          names.map((name) => `/sets/files/resources/${name}`),
          CONNECTIONS,
        );
        const their = await walkPaths(
          nginx.url,
          names.map((name) => `/${name}`),
          CONNECTIONS,
        );
        log(`${run}: ${(our / their).toFixed(2)} of nginx`);
        if (run === 0) continue;
        ours.push(our);
        theirs.push(their);
      }
      const baseline = { name: 'nginx', values: theirs };
      return [
        {
          name: `${count.toLocaleString('en')} distinct files of 1 kB`,
          unit: 'requests/s',
          ours,
          baseline,
          limit: { least: 0.4 * median(theirs) },
        },
        {
          name: '… memory, at most',
          unit: 'MB',
          ours: [server.peakMemory()],
          baseline: { name: 'nginx', values: [nginx.peakMemory()] },
        },
      ];
    } finally {
      await nginx.stop();
      await server.stop();
    }
  },
};

function writeFiles(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  const hourAgo = Date.now() / 1000 - 3600;
  for (let number = 0; number < count; number++) {
    const file = join(folder, `${number}.bin`);
    writeFileSync(file, randomBytes(BYTES));
    utimesSync(file, hourAgo, hourAgo);
  }
}
