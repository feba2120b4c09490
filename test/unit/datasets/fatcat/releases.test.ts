import assert from 'node:assert/strict';
import { readReleases } from '../../../../src/datasets/fatcat/read-releases.ts';
import { releaseRequest } from '../../../../src/datasets/fatcat/release-requests.ts';
import { releaseStatus } from '../../../../src/datasets/fatcat/release-status.ts';
import { SkipCounts } from '../../../../src/datasets/fatcat/skip-counts.ts';
import type { DatasetManifest } from '../../../../src/datasets/manifest.ts';
import type { IngestResult } from '../../../../src/datasets/request.ts';

const RELEASE = {
  ident: 'a',
  work_id: 'w',
  state: 'active',
  release_type: 'dataset',
  ext_ids: { doi: '10.5072/X', wikidata_qid: null, hdl: '1902.1/12612' },
};

describe('Releases of fatcat', () => {
  it('of the type dataset become requests of their identifier (D38)', () => {
    assert.deepEqual(releaseRequest(RELEASE), {
      request: {
        ingest_type: 'dataset',
        ingest_request_source: 'fatcat',
        base_url: 'https://doi.org/10.5072/x',
        link_source: 'doi',
        link_source_id: '10.5072/X',
        ext_ids: { doi: '10.5072/X', hdl: '1902.1/12612' },
        fatcat: { release_ident: 'a', work_ident: 'w' },
      },
    });
    const byHandle = releaseRequest({ ...RELEASE, ext_ids: { hdl: '1902.1/12612' } });
    assert.equal('request' in byHandle && byHandle.request.base_url, 'https://hdl.handle.net/1902.1/12612');
  });

  it('that are no datasets, are not active, or lead nowhere are skipped, with the reason (D38)', () => {
    const skippedOf = (more: object) => releaseRequest({ ...RELEASE, ...more }).skipped;
    assert.equal(skippedOf({ release_type: 'article-journal' }), 'another release_type than dataset');
    assert.equal(skippedOf({ state: 'redirect' }), 'not active');
    assert.equal(skippedOf({ withdrawn_status: 'retracted' }), 'withdrawn');
    assert.equal(skippedOf({ ext_ids: { isbn13: '978' } }), 'no doi, hdl or ark');
  });

  it('are read from lines, of which wrong ones are counted (D38)', async () => {
    const lines = `${JSON.stringify(RELEASE)}\n{"ext_ids": 5}\nno JSON\n\n"text"\n${JSON.stringify(RELEASE)}`;
    const skipped = new SkipCounts();
    const found: unknown[] = [];
    for await (const release of readReleases(chunks(lines), skipped)) found.push(release);
    assert.equal(found.length, 2);
    assert.equal(skipped.text(), '3 skipped: 3 no release in the line');
  });

  it('say how many filesets are stored, and where (D37)', () => {
    const copy = (dataset: string, { files = 2, landing = 'https://data.example/x' } = {}) => ({
      result: { hit: true, status: 'success', updated: 0, strategy: 'web-fileset', dataset } as IngestResult,
      manifest: {
        files: Array.from({ length: files }, (_, at) => ({
          path: `${at}`,
          stored: {},
          platform_url: 'https://x.example/',
        })),
        ingest_strategy: 'web-fileset',
        landing_url: landing,
      } as unknown as DatasetManifest,
      places: { published: 'https://tidemark.example/x/', items: 'https://i.example/', captures: 'https://c.example/' },
    });
    const fieldsOf = (...copies: Parameters<typeof releaseStatus>[1]) => {
      const { fileset_count, in_ia, in_web, is_preserved } = releaseStatus(RELEASE, copies);
      return [fileset_count, in_ia, in_web, is_preserved];
    };
    assert.deepEqual(fieldsOf(), [0, false, false, false]);
    assert.deepEqual(fieldsOf(copy('one'), copy('one'), copy('two')), [2, false, true, true]);
    assert.deepEqual(fieldsOf(copy('one', { files: 1 })), [0, false, true, true]);
    assert.deepEqual(fieldsOf(copy('one', { landing: 'https://archive.org/details/CAT' })), [1, true, true, true]);
    const isPrivate = { ...copy('one'), places: { ...copy('one').places, published: undefined } };
    assert.deepEqual(fieldsOf(isPrivate), [1, false, false, true]);
  });
});

async function* chunks(text: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += 7) yield Buffer.from(text.slice(at, at + 7));
}
