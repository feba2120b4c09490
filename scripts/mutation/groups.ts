export interface Group {
  /** Globs of the files that are mutated. */
  readonly mutate: readonly string[];
  /** Globs of the test files that should catch the mutants: only quick ones. */
  readonly specs: readonly string[];
  /** Runs its tests against the server that `ELASTICSEARCH_URL` names; all others run without servers. */
  readonly needsElasticsearch?: boolean;
}

/** What is mutated together, with the tests that should notice. */
export const GROUPS: Readonly<Record<string, Group>> = {
  decides: {
    mutate: [
      'src/core/change.ts',
      'src/core/stamp.ts',
      'src/core/set-ledger.ts',
      'src/core/decide-batch.ts',
      'src/core/accepted-clock.ts',
      'src/stores/store-clock.ts',
      'src/stores/sqlite/committer.ts',
      'src/stores/sqlite/set-ledgers.ts',
      'src/stores/sqlite/wire.ts',
    ],
    specs: [
      'test/unit/stores/sqlite-committer.test.ts',
      'test/unit/stores/sqlite-wire.test.ts',
      'test/unit/core/set-ledger.test.ts',
      'test/unit/core/decide-batch.test.ts',
      'test/unit/core/jump-check.test.ts',
      'test/unit/core/stamp.test.ts',
    ],
  },
  'decides-elasticsearch': {
    mutate: ['src/stores/elasticsearch/elasticsearch-committer.ts'],
    specs: ['test/contract/elasticsearch-commits.test.ts'],
    needsElasticsearch: true,
  },
  'commit-records': {
    mutate: ['src/stores/elasticsearch/commit-record.ts', 'src/stores/elasticsearch/overlay.ts'],
    specs: ['test/unit/stores/commit-record.test.ts', 'test/unit/stores/overlay.test.ts'],
  },
  pages: {
    mutate: ['src/publish/pages/page-directory.ts', 'src/stores/survey.ts'],
    specs: [
      'test/publish/page-directory.test.ts',
      'test/unit/publish/page-changes.test.ts',
      'test/unit/stores/survey.test.ts',
    ],
  },
  documents: {
    mutate: [
      'src/publish/render/documents/*.ts',
      'src/publish/pages/document-name.ts',
      'src/publish/resource-lists.ts',
    ],
    specs: [
      'test/unit/publish/documents.test.ts',
      'test/unit/publish/documents-entry.test.ts',
      'test/unit/publish/resource-lists.test.ts',
      'test/unit/publish/rendered-entries.test.ts',
    ],
  },
  publication: {
    mutate: ['src/publish/change-lists.ts', 'src/publish/pages/log-tail.ts', 'src/publish/pages/set-publication.ts'],
    specs: [
      'test/unit/publish/change-lists.test.ts',
      'test/unit/publish/log-tail.test.ts',
      'test/unit/publish/set-publication.test.ts',
    ],
  },
  publisher: {
    mutate: ['src/publish/publisher.ts'],
    specs: ['test/unit/publish/publisher.test.ts'],
  },
  rendering: {
    mutate: ['src/publish/render/incremental-render.ts', 'src/publish/render/render-job.ts'],
    specs: ['test/unit/publish/render-job.test.ts', 'test/publish/incremental-render.test.ts'],
  },
  conditions: {
    mutate: [
      'src/http/response/conditional-request.ts',
      'src/http/response/negotiate-encoding.ts',
      'src/http/request/prefers-page.ts',
      'src/http/request/parse-query.ts',
      'src/http/request/query-parameters.ts',
      'src/access/may.ts',
      'src/access/identify-principal.ts',
      'src/access/credentials.ts',
      'src/access/loopback.ts',
    ],
    specs: [
      'test/unit/http/conditional-request.test.ts',
      'test/unit/http/negotiate-encoding.test.ts',
      'test/unit/http/prefers-page.test.ts',
      'test/unit/http/parse-query.test.ts',
      'test/unit/access/access.test.ts',
      'test/unit/access/credentials.test.ts',
    ],
  },
  domain: {
    mutate: [
      'src/core/entry-weight.ts',
      'src/core/hash.ts',
      'src/core/json-string.ts',
      'src/core/key.ts',
      'src/core/key-search.ts',
      'src/core/link-relations.ts',
      'src/core/media-type.ts',
      'src/lib/nearest-name.ts',
      'src/core/record-key.ts',
      'src/core/resource.ts',
      'src/core/resource-set.ts',
      'src/lib/calls/coalesced-read.ts',
      'src/core/w3c-datetime.ts',
    ],
    specs: [
      'test/unit/publish/documents-entry.test.ts',
      'test/unit/stores/encoded-states.test.ts',
      'test/unit/core/key.test.ts',
      'test/unit/core/key-search.test.ts',
      'test/unit/http/media-types.test.ts',
      'test/unit/stores/order-expression.test.ts',
      'test/unit/core/plain-urls.test.ts',
      'test/unit/ingest/posted-event.test.ts',
      'test/unit/core/record-key.test.ts',
      'test/unit/core/resource-set.test.ts',
      'test/unit/lib/coalesced-read.test.ts',
      'test/unit/core/w3c-datetime.test.ts',
    ],
  },
  posting: {
    mutate: [
      'src/lib/bytes/ndjson-lines.ts',
      'src/ingest/ndjson-posting.ts',
      'src/ingest/posted-event.ts',
      'src/ingest/posted-hashes.ts',
      'src/ingest/posted-schema.ts',
      'src/ingest/rejection.ts',
    ],
    specs: [
      'test/unit/lib/ndjson-lines.test.ts',
      'test/unit/ingest/ndjson-posting.test.ts',
      'test/unit/ingest/posted-event.test.ts',
      'test/unit/ingest/rejection.test.ts',
    ],
  },
  scans: {
    mutate: [
      'src/sources/sync/key-cursor.ts',
      'src/sources/files/classify-file.ts',
      'src/lib/glob/exclusions.ts',
      'src/lib/glob/glob.ts',
      'src/lib/glob/bracket.ts',
      'src/sources/files/scan-memory.ts',
    ],
    specs: [
      'test/unit/lib/exclusions.test.ts',
      'test/unit/sources/folder-exclusions.test.ts',
      'test/unit/lib/glob.test.ts',
      'test/unit/sources/key-cursor.test.ts',
      'test/unit/sources/classify-file.test.ts',
      'test/unit/sources/scan-memory.test.ts',
    ],
  },
  syncs: {
    mutate: ['src/sources/files/compare-files.ts', 'src/sources/files/describe-file.ts', 'src/sources/sync/sync.ts'],
    specs: ['test/sources/compare-files.test.ts', 'test/unit/sources/sync.test.ts'],
  },
  'file-sources': {
    mutate: ['src/sources/files/file-rows.ts', 'src/sources/files/file-source.ts'],
    specs: ['test/unit/sources/file-rows.test.ts', 'test/unit/sources/file-source.test.ts'],
  },
  'sync-loops': {
    mutate: ['src/sources/sync/sync-loop.ts', 'src/sources/sync/source-changes.ts'],
    specs: ['test/unit/sources/sync-loop-steps.test.ts', 'test/unit/sources/source-changes.test.ts'],
  },
  records: {
    mutate: ['src/sources/records/artifact/compare-records.ts', 'src/records/digests/digest-row.ts'],
    specs: ['test/unit/sources/compare-records.test.ts', 'test/records/record-sort.test.ts'],
  },
  archives: {
    mutate: [
      'src/backup/archive-chain.ts',
      'src/backup/log-archive.ts',
      'src/backup/change-rows.ts',
      'src/backup/choose-chain.ts',
      'src/backup/catalog-documents.ts',
      'src/backup/file-reader.ts',
      'src/backup/file-writer.ts',
      'src/backup/rebuild-store.ts',
      'src/backup/rebuild-state.ts',
      'src/backup/replay.ts',
      'src/backup/restore-documents.ts',
      'src/backup/segment.ts',
      'src/backup/segment-parts.ts',
      'src/backup/store-chain.ts',
      'src/backup/verify-rebuilt.ts',
    ],
    specs: [
      'test/unit/backup/archive-chain.test.ts',
      'test/unit/backup/archive-log.test.ts',
      'test/unit/backup/archive-records.test.ts',
      'test/backup/archive-rebuild.test.ts',
    ],
  },
};
