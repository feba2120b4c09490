import { BLOCK_BYTES } from '../../src/artifacts/blocks.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';

// Writes an artifact that has no end; says when the disk has some of it. It is there to be killed.
const { folder, key } = JSON.parse(process.argv[2]!) as { readonly folder: string; readonly key: string };

async function* body() {
  for (let blocks = 0; ; blocks++) {
    yield Buffer.alloc(BLOCK_BYTES / 2);
    if (blocks === 8) console.log('"begun"');
    if (blocks >= 8) await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

await openArtifacts({ kind: 'folder', folder }).put(key, body());
