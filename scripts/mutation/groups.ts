export interface Group {
  /** Globs of the files that are mutated. */
  readonly mutate: readonly string[];
  /** Globs of the test files that should catch the mutants: only quick ones. */
  readonly specs: readonly string[];
}

/** What is mutated together, with the tests that should notice. */
export const GROUPS: Readonly<Record<string, Group>> = {
  decides: {
    mutate: [
      'src/domain/change.ts',
      'src/domain/stamp.ts',
      'src/stores/set-ledger.ts',
      'src/stores/clock.ts',
      'src/stores/sqlite/committer.ts',
      'src/stores/sqlite/set-ledgers.ts',
      'src/stores/sqlite/wire.ts',
    ],
    specs: [
      'test/unit/sqlite-committer.test.ts',
      'test/unit/sqlite-wire.test.ts',
      'test/unit/set-ledger.test.ts',
      'test/unit/jump-check.test.ts',
      'test/unit/stamp.test.ts',
    ],
  },
  'decides-elasticsearch': {
    mutate: [
      'src/stores/elasticsearch/commit-record.ts',
      'src/stores/elasticsearch/committer.ts',
      'src/stores/elasticsearch/overlay.ts',
    ],
    specs: ['test/contract/elasticsearch-commits.test.ts', 'test/unit/commit-record.test.ts'],
  },
  pages: {
    mutate: ['src/publisher/page-directory.ts', 'src/stores/survey.ts'],
    specs: ['test/unit/page-directory.test.ts', 'test/unit/page-changes.test.ts', 'test/unit/survey.test.ts'],
  },
  documents: {
    mutate: ['src/publisher/documents/*.ts', 'src/publisher/document-name.ts', 'src/publisher/resource-lists.ts'],
    specs: [
      'test/unit/documents.test.ts',
      'test/unit/documents-entry.test.ts',
      'test/unit/resource-lists.test.ts',
      'test/unit/written-entries.test.ts',
    ],
  },
  publication: {
    mutate: ['src/publisher/change-lists.ts', 'src/publisher/log-tail.ts', 'src/publisher/set-publication.ts'],
    specs: ['test/unit/change-lists.test.ts', 'test/unit/log-tail.test.ts', 'test/unit/set-publication.test.ts'],
  },
  conditions: {
    mutate: [
      'src/http/conditional-request.ts',
      'src/http/negotiate-encoding.ts',
      'src/http/prefers-page.ts',
      'src/http/parse-query.ts',
      'src/http/query-parameters.ts',
      'src/access/may.ts',
      'src/access/identify.ts',
      'src/access/credentials.ts',
      'src/access/loopback.ts',
    ],
    specs: [
      'test/unit/conditional-request.test.ts',
      'test/unit/negotiate-encoding.test.ts',
      'test/unit/prefers-page.test.ts',
      'test/unit/parse-query.test.ts',
      'test/unit/access.test.ts',
      'test/unit/credentials.test.ts',
    ],
  },
  domain: {
    mutate: [
      'src/domain/entry-weight.ts',
      'src/domain/hash.ts',
      'src/domain/json-string.ts',
      'src/domain/key.ts',
      'src/domain/key-search.ts',
      'src/domain/link-relations.ts',
      'src/domain/media-type.ts',
      'src/domain/nearest-name.ts',
      'src/domain/record-key.ts',
      'src/domain/resource.ts',
      'src/domain/resource-set.ts',
      'src/domain/shared-look.ts',
      'src/domain/w3c-datetime.ts',
    ],
    specs: [
      'test/unit/documents-entry.test.ts',
      'test/unit/encoded-states.test.ts',
      'test/unit/key.test.ts',
      'test/unit/key-search.test.ts',
      'test/unit/media-types.test.ts',
      'test/unit/order-expression.test.ts',
      'test/unit/plain-urls.test.ts',
      'test/unit/posted-event.test.ts',
      'test/unit/record-key.test.ts',
      'test/unit/resource-set.test.ts',
      'test/unit/shared-look.test.ts',
      'test/unit/w3c-datetime.test.ts',
    ],
  },
  posting: {
    mutate: [
      'src/updater/ndjson-lines.ts',
      'src/updater/posted-event.ts',
      'src/updater/posted-hashes.ts',
      'src/updater/posted-schema.ts',
      'src/updater/rejection.ts',
    ],
    specs: ['test/unit/ndjson-lines.test.ts', 'test/unit/posted-event.test.ts', 'test/unit/rejection.test.ts'],
  },
  scans: {
    mutate: [
      'src/updater/scan-cursor.ts',
      'src/updater/scan-judgement.ts',
      'src/roots/exclusions.ts',
      'src/roots/glob.ts',
      'src/roots/scan-memory.ts',
    ],
    specs: [
      'test/unit/exclusions.test.ts',
      'test/unit/folder-exclusions.test.ts',
      'test/unit/glob.test.ts',
      'test/unit/scan-cursor.test.ts',
      'test/unit/scan-judgement.test.ts',
      'test/unit/scan-memory.test.ts',
    ],
  },
  archives: {
    mutate: [
      'src/archive/archive-chain.ts',
      'src/archive/archive-log.ts',
      'src/archive/change-rows.ts',
      'src/archive/choose-chain.ts',
      'src/archive/documents.ts',
      'src/archive/file-reader.ts',
      'src/archive/file-writer.ts',
      'src/archive/rebuild.ts',
      'src/archive/rebuild-state.ts',
      'src/archive/replay.ts',
      'src/archive/restore-documents.ts',
      'src/archive/segment.ts',
      'src/archive/segment-parts.ts',
      'src/archive/store-chain.ts',
      'src/archive/verify-rebuilt.ts',
    ],
    specs: [
      'test/unit/archive-chain.test.ts',
      'test/unit/archive-log.test.ts',
      'test/unit/archive-records.test.ts',
      'test/unit/archive-rebuild.test.ts',
    ],
  },
};
