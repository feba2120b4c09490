import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Imports go one way: what each part of src/ may import, besides itself, and why. */
const ARROWS: readonly { readonly from: string; readonly to: readonly string[]; readonly because: string }[] = [
  { from: 'domain', to: [], because: 'the words of the program know nothing of how it is built' },
  { from: 'threads', to: ['domain'], because: 'how a thread is asked does not depend on what it does' },
  {
    from: 'stores',
    to: ['domain', 'threads', 'config/configuration.ts'],
    because: 'a port and its adapters speak the words of the domain',
  },
  { from: 's3', to: ['domain'], because: 'how a bucket is reached does not depend on what is in it' },
  { from: 'roots', to: ['domain', 'threads', 's3'], because: 'a port and its adapters speak the words of the domain' },
  {
    from: 'artifacts',
    to: ['domain', 'threads', 's3', 'config/configuration.ts', 'avro/schemas.ts'],
    because: 'a store of files knows what their names mean, and not what is in them',
  },
  { from: 'avro', to: ['domain'], because: 'what a file holds does not depend on where it lies' },
  {
    from: 'config',
    to: ['domain', 's3/s3-location.ts', 'roots/exclusions.ts'],
    because: 'settings are read, and patterns of files are checked, before anything is opened',
  },
  {
    from: 'sets',
    to: ['domain', 'stores', 'publisher/document-uris.ts'],
    because: 'a set is kept in the catalog, and its prefix is one of our URIs',
  },
  {
    from: 'updater',
    to: ['domain', 'stores', 'roots'],
    because: 'whoever records changes knows nothing of how they are published',
  },
  {
    from: 'publisher',
    to: ['domain', 'stores', 'sets', 'threads'],
    because: 'the publisher is a reader of the log, and knows nothing of who posts',
  },
  {
    from: 'verify',
    to: ['domain', 'stores', 'roots', 'records', 'updater', 'publisher'],
    because: 'it compares state, log, root and what is published, and changes nothing',
  },
  {
    from: 'import',
    to: ['domain', 'stores', 'sets', 'updater', 'config/import-location.ts'],
    because: 'it posts what another program has recorded, and knows nothing of how that is published',
  },
  {
    from: 'indexing',
    to: ['domain', 'artifacts', 'avro', 'activities/document-content.ts', 'config/import-location.ts'],
    because: 'it copies an artifact into an index, and knows nothing of how it was made',
  },
  {
    from: 'archive',
    to: ['domain', 'stores', 'sets', 'artifacts', 'avro', 'threads', 'config/version.ts', 'config/configuration.ts'],
    because: 'it copies logs between stores and artifacts, and knows nothing of who posts or publishes',
  },
  {
    from: 'activities',
    to: [
      'domain',
      'avro',
      'artifacts',
      'roots',
      'threads',
      'stores/make-folder.ts',
      'stores/unlinked.ts',
      'updater/ndjson-lines.ts',
    ],
    because: 'a run makes artifacts of records, and knows nothing of sets, nor of how it is asked for',
  },
  {
    from: 'records',
    to: ['domain', 'stores', 'artifacts', 'avro', 'updater', 'roots/content-root.ts', 'threads'],
    because: 'it makes sets of what artifacts hold, and knows neither who wrote them nor how sets are published',
  },
  {
    from: 'access',
    to: ['domain', 'config', 'stores/catalog.ts'],
    because: 'who may do what does not depend on how it is asked; tokens are kept in the catalog',
  },
  {
    from: 'journal',
    to: ['domain', 'stores', 'updater'],
    because: 'it tells what was posted, and is kept in the catalog',
  },
  {
    from: 'metrics',
    to: ['domain', 'stores', 'sets', 'updater', 'publisher', 'config'],
    because: 'it stands round the parts that it measures, which know nothing of it',
  },
  { from: 'logs', to: ['domain', 'config'], because: 'everybody may log' },
  {
    from: 'processes',
    to: ['domain', 'threads/questions.ts', 'metrics', 'access', 'config/configuration.ts', 'roots/content-root.ts'],
    because: 'how processes serve together does not depend on what they serve',
  },
  {
    from: 'http',
    to: [
      'journal',
      'metrics',
      'logs',
      'domain',
      'stores',
      'roots',
      's3/s3-location.ts',
      'sets',
      'updater',
      'publisher',
      'records',
      'access',
      'config',
      'web',
      'app.ts',
    ],
    because: 'HTTP is a door to the use cases',
  },
  {
    from: 'web',
    to: [
      'journal',
      'domain',
      'stores',
      'sets',
      'publisher',
      'records',
      'access',
      'config',
      'metrics',
      'http',
      'app.ts',
    ],
    because: 'pages show what the use cases tell, to those who may see it',
  },
  {
    from: 'cli',
    to: [
      'domain',
      'stores',
      'roots',
      's3/s3-location.ts',
      'sets',
      'updater',
      'publisher',
      'records',
      'verify',
      'journal',
      'import',
      'indexing',
      'activities',
      'archive',
      'artifacts',
      'avro',
      'access',
      'metrics',
      'logs',
      'http',
      'processes',
      'config',
      'app.ts',
    ],
    because: 'the command line is a door to the use cases',
  },
];

/** Parts of adapters that somebody else may use, and why. */
const SHARED: readonly { readonly file: string; readonly with: string; readonly because: string }[] = [
  {
    file: 'stores/elasticsearch/cluster.ts',
    with: 'import',
    because: 'an index to import is asked as a store is, with the same errors and retries',
  },
  {
    file: 'stores/elasticsearch/cluster.ts',
    with: 'indexing',
    because: 'an index to write is asked as a store is, with the same errors',
  },
  {
    file: 'stores/elasticsearch/faults.ts',
    with: 'indexing',
    because: 'a refusal of an index means what it means of a store',
  },
  {
    file: 'stores/elasticsearch/batch-size.ts',
    with: 'import',
    because: 'documents of an index to import may be as large as those of a store',
  },
];

/** Ports never import adapters; one file knows which there are. */
const ADAPTERS: readonly { readonly folder: string; readonly onlyFrom: string }[] = [
  { folder: 'stores/elasticsearch/', onlyFrom: 'stores/open-stores.ts' },
  { folder: 'stores/sqlite/', onlyFrom: 'stores/open-stores.ts' },
  { folder: 'roots/folder/', onlyFrom: 'roots/open-root.ts' },
  { folder: 'roots/s3/', onlyFrom: 'roots/open-root.ts' },
  { folder: 'artifacts/folder/', onlyFrom: 'artifacts/open-artifacts.ts' },
  { folder: 'artifacts/s3/', onlyFrom: 'artifacts/open-artifacts.ts' },
];

/** Files that put the parts together: processes and threads begin there. */
const COMPOSITION_ROOTS = [
  'app.ts',
  'archive-thread.ts',
  'compare-thread.ts',
  'note-thread.ts',
  'render-thread.ts',
  'main.ts',
  'serving-process.ts',
];

const SRC = join(import.meta.dirname, '..', 'src');

const violations = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => importsOf(file).flatMap((target) => violationsOf(file, target)));

for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exitCode = 1;

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...found].map(([, target]) => relative(SRC, join(SRC, dirname(file), target!)));
}

function violationsOf(file: string, target: string): string[] {
  const part = file.split('/')[0]!;
  if (SHARED.some((shared) => shared.file === target && shared.with === part)) return [];
  const adapter = ADAPTERS.find(({ folder }) => target.startsWith(folder) && !file.startsWith(folder));
  if (adapter !== undefined && file !== adapter.onlyFrom && !COMPOSITION_ROOTS.includes(file)) {
    return [`${file} imports ${target}: only ${adapter.onlyFrom} knows the adapter`];
  }
  if (COMPOSITION_ROOTS.includes(file)) return [];
  const arrow = ARROWS.find(({ from }) => from === part);
  if (arrow === undefined) return [`${file}: no rule says what ${part} may import`];
  if ([part, ...arrow.to].some((allowed) => target === allowed || target.startsWith(`${allowed}/`))) return [];
  return [`${file} imports ${target}: ${arrow.because}`];
}
