import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { PageScan, type ScannedPage } from '../../forms/oai/page-scan.ts';
import { type ScratchFile, writeScratchFile } from '../../packages/scratch-file.ts';
import type { OaiClient } from './oai-client.ts';

/** An answer to ListRecords, packed with gzip. The caller closes it. */
export interface FetchedPage {
  readonly scan: ScannedPage;
  /** At most the first 100,000. */
  readonly identifiers: readonly string[];
  readonly file: ScratchFile;
}

interface PageRequest {
  readonly url: string;
  readonly format: string;
}

interface FetchParts {
  readonly client: OaiClient;
  /** The folder of scratch files. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const MOST_IDENTIFIERS = 100_000;
/** XML becomes hardly smaller by a higher level, which takes several times as long. */
const GZIP = { level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024 };

/**
 * Requests a page, scans it, and packs it into a scratch file: an answer may be larger than memory.
 * @throws as `OaiClient.read`, also for an answer that is not complete
 */
export function fetchPage({ url, format }: PageRequest, { client, folder, signal }: FetchParts): Promise<FetchedPage> {
  return client.read(url, signal, async (chunks) => {
    const identifiers: string[] = [];
    const onIdentifier = (identifier: string) => {
      if (identifiers.length < MOST_IDENTIFIERS) identifiers.push(identifier);
    };
    const scan = new PageScan({ format, onIdentifier });
    const file = await writeScratchFile(packed(scanned(chunks, scan)), folder);
    try {
      return { scan: scan.end(), identifiers, file };
    } catch (error) {
      await file.close();
      throw error;
    }
  });
}

async function* scanned(chunks: AsyncIterable<Buffer>, scan: PageScan): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    scan.write(chunk);
    yield chunk;
  }
}

async function* packed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(chunks);
  const gzip = createGzip(GZIP);
  // An error of the source destroys both, with that error.
  pipeline(source, gzip, () => {});
  yield* gzip;
}
