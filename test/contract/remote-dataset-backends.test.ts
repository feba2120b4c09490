import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredCopy } from '../../src/datasets/archiving.ts';
import { openIas3, openSavePageNow } from '../../src/datasets/backends/remote/open-remote.ts';
import { ArchiveOrg } from '../support/archive-org.ts';
import { SMALL_LIMITS } from '../support/archiving-jobs.ts';
import { TIMING } from '../support/platform-of-files.ts';
import { SavePageNowServer } from '../support/save-page-now.ts';
import { testDatasetBackend } from './dataset-backend.ts';

const LIMITS = { datasetBytes: SMALL_LIMITS.datasetSize, advice: 'raise --dataset-size' };

describe('the web archive and the items of others', () => {
  testDatasetBackend('Save Page Now 2', async ({ scratchFolder }) => {
    const spn = await SavePageNowServer.start();
    const options = { url: spn.url, keysFile: undefined, limits: LIMITS, scratchFolder, timing: TIMING };
    const { backend, close } = openSavePageNow(options);
    return {
      backend,
      read: ({ terminalUrl, terminalDt }) => bytesAt(`${spn.url}web/${terminalDt}id_/${terminalUrl}`),
      async close() {
        close();
        await spn.close();
      },
    };
  });

  testDatasetBackend('IAS3', async ({ fetcher, scratchFolder }) => {
    const archive = await ArchiveOrg.start();
    const keysFile = join(tmpdir(), `keys-${crypto.randomUUID()}`);
    writeFileSync(keysFile, `${archive.keys.access}:${archive.keys.secret}`);
    const { backend, close } = openIas3({
      url: archive.url,
      metadataUrl: archive.url,
      keysFile,
      fetcher,
      limits: LIMITS,
      scratchFolder,
      timing: TIMING,
    });
    return {
      backend,
      read: ({ terminalUrl }: StoredCopy) => bytesAt(terminalUrl!),
      async close() {
        close();
        rmSync(keysFile);
        await archive.close();
      },
    };
  });
});

async function bytesAt(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
