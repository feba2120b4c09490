import assert from 'node:assert/strict';
import { fileEntity, filesetEntity, reasonToSkip } from '../../../../src/datasets/fatcat/make-entity.ts';
import type { DatasetManifest, ManifestFile } from '../../../../src/datasets/manifest.ts';
import type { IngestResult, RequestDocument } from '../../../../src/datasets/request.ts';

const PLACES = {
  published: 'https://tidemark.example/sets/datasets/resources/data.example/doi:10.5072/X/v2/',
  items: 'https://archive.org/download/',
  captures: 'https://web.archive.org/web/',
};
const HASHES = { md5: '0'.repeat(32), sha1: '1'.repeat(40), sha256: '2'.repeat(64) };
const STORED = { artifact: '_datasets/f/1', offset: 0, length: 5 };
const RESULT: IngestResult = {
  hit: true,
  status: 'success',
  updated: 0,
  strategy: 'web-fileset',
  manifest: '_datasets/f/manifest.json',
  dataset: 'datasets/f',
  terminal: { url: 'https://data.example/x', dt: '20261129080000' },
};

describe('Entities of fatcat', () => {
  it('are made of successes with a strategy for filesets, and counts say why of the others (D35)', () => {
    const reasonOf = (result?: Partial<IngestResult>) => reasonToSkip('fileset', documentWith(result));
    assert.equal(reasonOf({}), undefined);
    assert.equal(reasonOf({ status: 'success-existing', strategy: 'archiveorg-fileset-bundled' }), undefined);
    assert.equal(reasonOf({ strategy: 'web-file' }), 'a single file: use --kind file');
    assert.equal(reasonOf({ hit: false, status: 'mismatch-md5' }), 'mismatch-md5');
    assert.equal(reasonToSkip('fileset', { ...documentWith({}), result: undefined } as never), 'no result yet');
    assert.equal(reasonToSkip('file', documentWith({})), 'several files: use --kind fileset');
    assert.equal(reasonToSkip('file', documentWith({ strategy: 'archiveorg-file' })), undefined);
  });

  it('have of a fileset its files, its copies and the releases of all requests (D01, D35, d9, d11)', () => {
    const other = documentWith({ status: 'success-existing' }, { fatcat: { release_ident: 'b' } });
    const requests = [documentWith({}), documentWith({}), other];
    const { entity } = filesetEntity({
      requests,
      manifest: manifestOf([fileAt('a b.csv'), fileAt('c.csv')]),
      places: PLACES,
    });
    assert.deepEqual(entity, {
      manifest: ['a b.csv', 'c.csv'].map((path) => ({
        path,
        size: 5,
        ...HASHES,
        mimetype: 'text/csv',
        extra: { note: 'x', original_url: `https://data.example/files/${path}` },
      })),
      urls: [
        { url: PLACES.published, rel: 'archive-base' },
        { url: 'https://data.example/x', rel: 'web' },
      ],
      release_ids: ['a', 'b'],
      edit_extra: {
        note: 'y',
        link_source: 'doi',
        ingest_strategy: 'web-fileset',
        platform: 'signposted',
        platform_domain: 'data.example',
        platform_id: 'doi:10.5072/X',
      },
      extra: { persistent_id: 'https://doi.org/10.5072/X', version: '2', release_ext_ids: { doi: '10.5072/x' } },
    });
  });

  it('name captures and items of remote backends, and bundles (d9)', () => {
    const remote = [fileAt('a.csv', false), fileAt('b.csv', false)];
    const urlsOf = (strategy: DatasetManifest['ingest_strategy'], more: Partial<DatasetManifest> = {}) => {
      const manifest = { ...manifestOf(remote), ingest_strategy: strategy, item_name: 'data.example-x', ...more };
      const made = filesetEntity({ requests: [documentWith({ strategy })], manifest, places: PLACES });
      return made.entity?.urls.map(({ url, rel }) => `${rel} ${url}`);
    };
    const landing = 'web https://data.example/x';
    const item = 'https://archive.org/download/data.example-x/';
    assert.deepEqual(urlsOf('archiveorg-fileset'), [`archive-base ${item}`, landing]);
    const capture = 'https://web.archive.org/web/20261129080000/https://data.example/x';
    assert.deepEqual(urlsOf('web-fileset'), [`webarchive-base ${capture}`, landing]);
    assert.deepEqual(urlsOf('archiveorg-fileset-bundled', { bundle: fileAt('all.zip', false) }), [
      `archive-bundle ${item}all.zip`,
      'repository-bundle https://data.example/files/all.zip',
      landing,
    ]);
    const made = filesetEntity({ requests: [documentWith({})], manifest: manifestOf(remote), places: PLACES });
    const wayback = 'https://web.archive.org/web/20261129080001/https://data.example/a.csv';
    assert.equal(made.entity?.manifest[0]?.extra.wayback_url, wayback);
  });

  it('refuse a fileset of one file, and a file without its hashes (d10, D35)', () => {
    const make = (files: readonly ManifestFile[]) =>
      filesetEntity({ requests: [documentWith({})], manifest: manifestOf(files), places: PLACES }).skipped;
    assert.equal(make([fileAt('a')]), 'fewer than two files');
    const { sha1: _, ...withoutHash } = fileAt('b');
    assert.equal(make([fileAt('a'), withoutHash]), 'a file without size, md5 or sha1');
  });

  it('have of a single file its hashes and copies (D36, d10)', () => {
    const requests = [documentWith({ strategy: 'web-file' }, { fatcat: {} })];
    const { entity } = fileEntity({ requests, manifest: manifestOf([fileAt('data.rar')]), places: PLACES });
    assert.deepEqual([entity?.size, entity?.sha1, entity?.release_ids], [5, HASHES.sha1, []]);
    assert.deepEqual(entity?.urls, [
      { url: `${PLACES.published}data.rar`, rel: 'archive' },
      { url: 'https://data.example/files/data.rar', rel: 'web' },
    ]);
    assert.equal(entity?.extra.path, 'data.rar');
  });
});

function documentWith(result: Partial<IngestResult> = {}, request: object = {}): RequestDocument {
  return {
    request: {
      ingest_type: 'dataset',
      base_url: 'https://doi.org/10.5072/X',
      link_source: 'doi',
      ext_ids: { doi: '10.5072/x' },
      fatcat: { release_ident: 'a' },
      edit_extra: { note: 'y' },
      ...request,
    },
    options: {},
    set: 'datasets',
    requested: 0,
    token: 't',
    state: 'ended',
    result: { ...RESULT, ...result },
  };
}

function fileAt(path: string, isHere = true): ManifestFile {
  return {
    status: 'success',
    path,
    size: 5,
    ...HASHES,
    mimetype: 'text/csv',
    platform_url: `https://data.example/files/${path}`,
    terminal_url: `https://data.example/${path}`,
    terminal_dt: '20261129080001',
    extra: { note: 'x' },
    ...(isHere && { stored: STORED }),
  };
}

function manifestOf(files: readonly ManifestFile[]): DatasetManifest {
  return {
    platform_name: 'signposted',
    platform_domain: 'data.example',
    platform_id: 'doi:10.5072/X',
    version: '2',
    persistent_id: 'https://doi.org/10.5072/X',
    landing_url: 'https://data.example/x',
    ingest_strategy: 'web-fileset',
    file_count: files.length,
    total_size: 5 * files.length,
    files,
  };
}
