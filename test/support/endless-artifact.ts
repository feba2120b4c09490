import { BLOCK_BYTES } from '../../src/artifacts/blocks.ts';
import { type ArtifactLocation, openArtifacts } from '../../src/artifacts/open-artifacts.ts';

// Writes an artifact that has no end; says when the disk has some of it. It is there to be killed.
const { location, key } = JSON.parse(process.argv[2]!) as { readonly location: ArtifactLocation; readonly key: string };

async function* body() {
  for (let blocks = 0; ; blocks++) {
    yield Buffer.alloc(BLOCK_BYTES / 2);
    if (blocks === 8) console.log('"begun"');
    if (blocks >= 8) await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

await openArtifacts(location).put(key, body());
