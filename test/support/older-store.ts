import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import type { StorePlace } from './each-store.ts';
import type { Release } from './release-store.ts';

export const FIXTURES = join(import.meta.dirname, '../fixtures');

/** The commits whose stores are kept: see fixtures/README.md. */
export type OlderCommit = '362106f' | '12b89343' | Release;

interface IndexLine {
  readonly index: string;
  readonly body: object;
}

interface DocumentLine {
  readonly id: string;
  readonly version: number;
  readonly source: object;
}

/**
 * Puts the store that a commit has written into a place, and its files into `folder`: `data`, `files`, and the
 * documents that it served in `documents`.
 */
export async function placeOlderStore(commit: OlderCommit, { location }: StorePlace, folder: string): Promise<void> {
  const fixture = join(FIXTURES, `store-${commit}`);
  // What the names of the indices begin with in the fixture, and the path of the set `files`.
  const prefix = `tidemark-${commit}`;
  const path = `/tmp/${prefix}`;
  execFileSync('tar', ['-xzf', join(fixture, `${location.kind}.tar.gz`), '-C', folder]);
  if (location.kind === 'sqlite') {
    const database = new DatabaseSync(location.file);
    database.prepare('UPDATE catalog SET body = replace(body, ?, ?)').run(`${path}/sqlite`, folder);
    database.close();
    return;
  }
  const text = gunzipSync(readFileSync(join(fixture, 'elasticsearch-indices.ndjson.gz'))).toString();
  const here = text.replaceAll(`${path}/elasticsearch`, folder).replaceAll(prefix, location.prefix);
  await loadIndices(location.nodes[0]!, here.trimEnd().split('\n'));
}

async function loadIndices(url: string, lines: readonly string[]): Promise<void> {
  const put = async (path: string, method: string, type: string, body: string) => {
    const response = await fetch(`${url}/${path}`, { method, headers: { 'content-type': type }, body });
    const answer = await response.text();
    if (!response.ok || answer.startsWith('{"errors":true')) throw new Error(answer);
  };
  let documents = '';
  let index = '';
  for (const line of lines.map((line) => JSON.parse(line) as IndexLine | DocumentLine)) {
    if ('index' in line) {
      index = line.index;
      await put(index, 'PUT', 'application/json', JSON.stringify(line.body));
    } else {
      const action = { _index: index, _id: line.id, version: line.version, version_type: 'external' };
      documents += `${JSON.stringify({ index: action })}\n${JSON.stringify(line.source)}\n`;
    }
  }
  await put('_bulk?refresh=true&filter_path=errors,items.*.error', 'POST', 'application/x-ndjson', documents);
}

/** The documents that the older commit served, by their path. */
export function documentsOfOlderStore(folder: string): ReadonlyMap<string, string> {
  const documents = join(folder, 'documents');
  const files = readdirSync(documents, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(paths.map((path) => [path.slice(documents.length), readFileSync(path, 'utf8')]));
}
