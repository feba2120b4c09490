import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Closers } from '../lib/calls/closers.ts';
import type { Catalog } from '../stores/catalog.ts';
import { openBackends } from './backends/open-backends.ts';
import { openFetcher } from './fetch/open-fetcher.ts';
import type { IngestParts } from './ingest-dataset.ts';
import { crawlLanding } from './landing/crawl-landing.ts';
import { openHtmlParser } from './landing/parse-html.ts';
import { openPlatformClient } from './platform-client.ts';
import { datasetPlatforms } from './platforms/platforms.ts';
import { archiverOf } from './strategies/archiver-of.ts';

interface OpenIngestParts {
  readonly configuration: Configuration;
  readonly catalog: Catalog;
  readonly artifacts: ArtifactStore;
}

/** Opens what ingests datasets. `closers` close it. Load this file when the first one is ingested. */
export function openIngest({ configuration, catalog, artifacts }: OpenIngestParts, closers: Closers): IngestParts {
  const { datasetNetworks: networks, platformTokens: tokens = [], adminEmail: contact } = configuration;
  const scratchFolder = join(configuration.dataFolder, 'spool');
  mkdirSync(scratchFolder, { recursive: true });
  const fetcher = openFetcher({ networks, tokens, contact });
  closers.add(() => fetcher.close());
  const html = openHtmlParser();
  closers.add(() => html.close());
  const backends = openBackends(configuration, { fetcher, artifacts, scratchFolder });
  closers.add(() => backends.close());
  const { datasetFiles, datasetSize, datasetFetches: fetches } = configuration;
  const { datasetWebFiles, datasetWebSize, datasetWebFileSize } = configuration;
  return {
    catalog,
    artifacts,
    limits: {
      files: datasetFiles,
      totalBytes: datasetSize,
      web: { files: datasetWebFiles, totalBytes: datasetWebSize, fileBytes: datasetWebFileSize },
    },
    platforms: datasetPlatforms(),
    tokenHosts: tokens.map(({ host }) => host),
    crawl: (url, signal) => crawlLanding(url, { fetcher, html, signal }),
    clientFor: ({ signal, onReply }) => openPlatformClient({ fetcher, signal, ...(onReply && { onReply }) }),
    archiverOf: (strategy) => archiverOf(strategy, { backends, fetches, datasetBytes: datasetSize }),
  };
}
