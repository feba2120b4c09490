import { hash } from 'node:crypto';
import { contentOf, type ServedDataset, type ServedFile, statedOf } from './simulated-dataset.ts';

/** The reply at `/metadata/ITEM`. */
export function archiveorgReply({ id, title, versions }: ServedDataset): unknown {
  const { files } = versions[0]!;
  return {
    created: 1_577_934_245,
    d1: 'ia800000.us.archive.org',
    dir: `/1/items/${id}`,
    files: [
      ...files.map(fileOf),
      { name: `${id}_meta.xml`, source: 'metadata', format: 'Metadata', size: '500', md5: '0'.repeat(32) },
      { name: `${id}_files.xml`, source: 'metadata', format: 'Metadata', md5: '1'.repeat(32) },
      { name: '__ia_thumb.jpg', source: 'original', mtime: '1577934245', size: '900', md5: '2'.repeat(32) },
      { name: 'derived.txt', source: 'derivative', original: files[0]?.name, size: '7', md5: '3'.repeat(32) },
    ],
    files_count: files.length + 4,
    item_size: files.reduce((sum, { size }) => sum + size, 0),
    metadata: {
      identifier: id,
      title,
      creator: ['Curie, Marie', 'Curie, Pierre'],
      date: '2020-01-02',
      description: 'A dataset of a test',
      licenseurl: 'https://creativecommons.org/publicdomain/zero/1.0/',
      mediatype: 'data',
      collection: ['datasets'],
      publicdate: '2020-01-02 03:04:05',
    },
    server: 'ia800000.us.archive.org',
    uniq: 1,
  };
}

function fileOf(file: ServedFile): unknown {
  const { size, md5 } = statedOf(file);
  const bytes = file.size > 1_000_000 ? undefined : contentOf(file.name, file.size);
  return {
    name: file.name,
    source: 'original',
    mtime: '1577934245',
    // The metadata API states numbers as texts.
    size: typeof size === 'number' ? String(size) : size,
    md5,
    ...(bytes && { sha1: hash('sha1', bytes) }),
    format: 'Comma-Separated Values',
    ...(file.isRestricted === true && { private: 'true' }),
  };
}
