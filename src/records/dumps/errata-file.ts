import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { unreadable } from '../../artifacts/store-errors.ts';
import type { StreamName } from '../stream-set-names.ts';
import { ArtifactFile } from './artifact-file.ts';
import { gzipParts } from './gzip-parts.ts';
import type { MadeFile } from './record-files.ts';

/** The errata of an upload. */
export interface UploadErrata {
  /** The number of the upload. */
  readonly upload: number;
  readonly artifact: ObjectKey;
}

const LEVEL = 6;
const PART_BYTES = 256 * 1024;

/**
 * Writes the errata of several uploads into one file of JSON lines. Each line has the number of its upload before the
 * fields of `Erratum`.
 * @throws TidemarkError `unavailable` when one of them cannot be read; as `ArtifactStore.put`
 */
export async function writeErrata(
  errata: readonly UploadErrata[],
  name: StreamName,
  artifacts: Pick<ArtifactStore, 'put' | 'get' | 'name'>,
): Promise<MadeFile> {
  const file = new ArtifactFile(artifacts, name, (parts) => gzipParts(parts, { level: LEVEL }));
  try {
    for await (const part of partsOf(errata, artifacts)) await file.write(part);
    return { kind: 'errata', ...(await file.end()) };
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

async function* partsOf(
  errata: readonly UploadErrata[],
  artifacts: Pick<ArtifactStore, 'get' | 'name'>,
): AsyncGenerator<Buffer> {
  let text = '';
  for (const { upload, artifact } of errata) {
    for await (const line of linesOf(artifact, artifacts)) {
      text += `{"upload":${upload},${line.slice(1)}\n`;
      if (text.length < PART_BYTES) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

async function* linesOf(key: ObjectKey, artifacts: Pick<ArtifactStore, 'get' | 'name'>): AsyncGenerator<string> {
  try {
    const { body } = await artifacts.get(key);
    let rest = '';
    for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== '') yield rest;
  } catch (error) {
    throw unreadable(error, key, artifacts.name);
  }
}
