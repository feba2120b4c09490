import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';

/**
 * A plain script: reads the rows of a page, joins their text, compresses it once. Prints the milliseconds of each run.
 */
const { database: file, runs } = JSON.parse(process.argv[2]!) as { database: string; runs: number };

/** The fastest settings that were found for entries; Tidemark has the same ones. */
const GZIP = { level: 2, windowBits: 12, memLevel: 7, chunkSize: 262_144 };

const database = new DatabaseSync(file, { readOnly: true });
const select = database.prepare('SELECT key, state FROM resources ORDER BY set_id, key LIMIT 50000');
select.setReturnArrays(true);
const milliseconds: number[] = [];
for (let run = 0; run < runs; run++) {
  const start = performance.now();
  const rows = select.all() as unknown as [string, string][];
  const text = rows.map(([key, state]) => entry(key, state)).join('');
  gzipSync(text, GZIP);
  milliseconds.push(performance.now() - start);
}
database.close();
console.log(JSON.stringify(milliseconds));

function entry(key: string, text: string): string {
  const { lastmod, hashes, length, mime, links } = JSON.parse(text);
  const lines = links.map(
    (link: Record<string, string>) => `<rs:ln rel="${link.rel}" href="${link.href}" type="${link.mime}"/>`,
  );
  const date = new Date(lastmod * 1000).toISOString().replace('.000Z', 'Z');
  return `<url><loc>https://repository.example.org${key}</loc><lastmod>${date}</lastmod><rs:md hash="sha-256:${hashes['sha-256']}" length="${length}" type="${mime}"/>${lines.join('')}</url>\n`;
}
