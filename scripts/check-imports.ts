import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * What each folder of src/ may import, besides itself, `core` and `lib`, and why. A file or a folder may be named, too.
 */
const ARROWS: readonly { readonly from: string; readonly to: readonly string[]; readonly because: string }[] = [
  { from: 'core', to: [], because: 'the words of the program do not depend on how it is built' },
  { from: 'lib', to: [], because: 'helpers know nothing of the domain, except that there is one type of error' },
  {
    from: 'config',
    to: ['artifacts/open-artifacts.ts', 'artifacts/keys/activity.ts', 'stores/locations.ts'],
    because:
      'settings are read before anything is opened; each kind of artifact store reads its own location; the names of providers and activities are those of keys',
  },
  { from: 'stores', to: [], because: 'a port and its adapters know no use case' },
  { from: 'artifacts', to: [], because: 'a port and its adapters know no use case' },
  {
    from: 'sets',
    to: ['stores', 'config/set/set-settings.ts'],
    because: 'sets are stored in the catalog, and checked by the table of their settings',
  },
  {
    from: 'sources',
    to: [
      'stores',
      'artifacts',
      'config/configuration.ts',
      'config/set/from-settings.ts',
      'config/own-files.ts',
      'config/set/source-setting.ts',
      'client/mirror',
      'records',
      'datasets',
    ],
    because:
      'a source is compared with the state, and does not depend on how changes are published; the mirror copies other sources, and streams have stored what is published of them',
  },
  {
    from: 'ingest',
    to: ['stores', 'sets', 'sources/served-source.ts', 'config/import-location.ts'],
    because: 'recording changes does not depend on how they are published',
  },
  {
    from: 'publish',
    to: [
      'stores',
      'sets',
      'artifacts',
      'sources/open-contents.ts',
      'sources/contents.ts',
      'config/configuration.ts',
      'config/version.ts',
    ],
    because: 'the publisher reads the log, and does not depend on how changes are recorded; dumps read the bytes',
  },
  {
    from: 'records',
    to: ['stores', 'sets', 'artifacts', 'client/read', 'config/configuration.ts', 'config/import-location.ts'],
    because:
      'it stores what providers deliver, and does not depend on how that is published; files are fetched as a client fetches them',
  },
  {
    from: 'nsdl',
    to: ['stores', 'sets', 'artifacts', 'records', 'config/configuration.ts'],
    because: 'it is a door to collections and their runs, made of files',
  },
  {
    from: 'datasets',
    to: [
      'stores',
      'sets',
      'artifacts',
      'records/packages',
      'client/read',
      'config/configuration.ts',
      'config/dataset-values.ts',
      'config/version.ts',
    ],
    because: 'it fetches what platforms have, stores it, and does not depend on how that is published',
  },
  {
    from: 'oai',
    to: ['stores', 'records'],
    because: 'a repository of OAI-PMH reads the log, the states and the artifacts, and stores nothing',
  },
  {
    from: 'backup',
    to: [
      'stores',
      'sets',
      'artifacts',
      'sources',
      'publish',
      'records',
      'datasets',
      'config/version.ts',
      'config/configuration.ts',
    ],
    because: 'it copies and compares what is stored and published, and records nothing but what it found',
  },
  {
    from: 'client',
    to: ['config/version.ts'],
    because: 'it reads any source, as its clients see it, and knows nothing of how this one is made',
  },
  {
    from: 'observe',
    to: ['stores', 'sets', 'sources', 'ingest', 'publish', 'config'],
    because: 'it wraps the parts that it measures, which do not depend on it',
  },
  {
    from: 'jobs',
    to: ['stores', 'sets', 'artifacts', 'backup', 'publish', 'records', 'nsdl', 'datasets', 'config/configuration.ts'],
    because: 'a job calls use cases, which do not depend on when they are called',
  },
  {
    from: 'access',
    to: ['config', 'stores/catalog.ts', 'stores/catalog-follower.ts', 'stores/update-document.ts'],
    because: 'who may do what does not depend on how it is asked; tokens are stored in the catalog',
  },
  {
    from: 'api',
    to: [
      'access',
      'config',
      'ingest',
      'observe',
      'publish/archives/stored-archive.ts',
      'publish/documents.ts',
      'publish/document-publisher.ts',
      'publish/dumps/stored-change-dump.ts',
      'publish/dumps/stored-dump.ts',
      'publish/notify',
      'stores',
      'records',
      'datasets',
    ],
    because: 'what HTTP and the command line show alike is described once',
  },
  {
    from: 'http',
    to: [
      'api',
      'access',
      'config',
      'ingest',
      'jobs/open-jobs.ts',
      'jobs/scheduler.ts',
      'oai',
      'observe',
      'publish/archives/list-archives.ts',
      'publish/archives/stored-archive.ts',
      'publish/documents.ts',
      'publish/mirror-commands.ts',
      'publish/document-publisher.ts',
      'publish/atom-feed.ts',
      'publish/dumps/dumps.ts',
      'publish/dumps/stored-dump.ts',
      'publish/notify',
      'publish/open-publishing.ts',
      'publish/topics.ts',
      'publish/published-document.ts',
      'publish/versions/versions.ts',
      'sets',
      'sources',
      'stores',
      'records',
      'datasets',
      'client/read',
      'client/validate',
    ],
    because: 'HTTP is a door to the use cases',
  },
  {
    from: 'cli',
    to: [
      'app.ts',
      'api',
      'access',
      'artifacts',
      'backup',
      'config',
      'http/server/server.ts',
      'http/openapi/routes-reference.ts',
      'ingest',
      'jobs',
      'nsdl',
      'observe',
      'publish',
      'sets',
      'sources',
      'stores',
      'records',
      'datasets',
      'client',
    ],
    because: 'the command line is a door to the use cases, and starts the server',
  },
];

/** All parts may import these. `lib` itself may import the type of errors alone. */
const COMMON = ['core', 'lib'];
const COMMON_TO_LIB = ['core/errors.ts'];

/** Each folder below a port is an adapter, which only its openers import, unless it, or the file in it, is shared. */
interface Port {
  readonly folder: string;
  readonly openers: readonly string[];
  readonly shared: readonly string[];
}

/** The stored record of OAI-PMH, which its repository reads, and how a harvest scans its pages, and has them read. */
const OF_OAI = ['oai/oai-record.ts', 'oai/oai-reading.ts', 'oai/page-scan.ts'];

const PORTS: readonly Port[] = [
  { folder: 'stores', openers: ['stores/open-stores.ts'], shared: [] },
  {
    folder: 'sources',
    openers: ['sources/open-contents.ts', 'sources/open-source.ts'],
    shared: ['files', 'records', 'scanners', 'sync'],
  },
  { folder: 'records/forms', openers: ['records/forms/record-forms.ts'], shared: OF_OAI },
  { folder: 'artifacts', openers: ['artifacts/open-artifacts.ts'], shared: ['avro', 'hashing', 'keys'] },
];

/** Files that put the parts together. */
const COMPOSITION_ROOTS = ['app.ts', 'main.js'];

const MOST_FILES_OF_A_FOLDER = 30;
const MOST_ENTRIES_OF_SRC = 23;

const SRC = join(import.meta.dirname, '..', 'src');

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = files.flatMap(importsOf);
const problems = [...imports.flatMap(violationsOf), ...cycles(), ...crowdedFolders(), ...unusedExports()];

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...found].map(([, target]) => ({ file, target: relative(SRC, join(SRC, dirname(file), target!)) }));
}

function violationsOf({ file, target }: Import): string[] {
  const port = PORTS.find((port) => isOfAdapter(port, { file, target }));
  if (port !== undefined && !port.openers.includes(file)) {
    return [`${file} imports ${target}: only ${port.openers.join(' and ')} may know the adapter`];
  }
  if (COMPOSITION_ROOTS.includes(file)) return [];
  const part = file.split('/')[0]!;
  const arrow = ARROWS.find(({ from }) => from === part);
  if (arrow === undefined) return [`${file}: no rule says what ${part} may import`];
  const common = part === 'core' ? [] : part === 'lib' ? COMMON_TO_LIB : COMMON;
  const allowed = [part, ...common, ...arrow.to];
  if (allowed.some((name) => target === name || target.startsWith(`${name}/`))) return [];
  return [`${file} imports ${target}: ${arrow.because}`];
}

/** Whether a file outside an adapter of a port imports a file of the adapter. */
function isOfAdapter({ folder, shared }: Port, { file, target }: Import): boolean {
  if (!target.startsWith(`${folder}/`)) return false;
  const [child, ...rest] = target.slice(folder.length + 1).split('/');
  if (rest.length === 0 || shared.includes(child!) || shared.includes([child, ...rest].join('/'))) return false;
  return !file.startsWith(`${folder}/${child}/`);
}

/** In each folder, its files and folders import each other one way, types included. */
function cycles(): string[] {
  const folders = new Set(files.flatMap(foldersOf));
  return [...folders].flatMap((folder) => {
    const entries = new Map<string, Set<string>>();
    for (const { file, target } of imports) {
      if (!file.startsWith(folder) || !target.startsWith(folder)) continue;
      const [from, to] = [entryOf(folder, file), entryOf(folder, target)];
      if (from !== to) entries.set(from, (entries.get(from) ?? new Set()).add(to));
    }
    const cycle = cycleIn(entries);
    return cycle === undefined ? [] : [`src/${folder}: a cycle of imports: ${cycle.join(' -> ')}`];
  });
}

function cycleIn(entries: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (entry: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(entry)) return [...path.slice(path.indexOf(entry)), entry];
    if (done.has(entry)) return undefined;
    for (const next of entries.get(entry) ?? []) {
      const cycle = visit(next, [...path, entry]);
      if (cycle !== undefined) return cycle;
    }
    done.add(entry);
    return undefined;
  };
  return [...entries.keys()].map((entry) => visit(entry, [])).find((cycle) => cycle !== undefined);
}

function crowdedFolders(): string[] {
  const counts = Map.groupBy(files, dirname);
  const crowded = [...counts].filter(([, { length }]) => length > MOST_FILES_OF_A_FOLDER);
  const entries = readdirSync(SRC).length;
  return [
    ...crowded.map(([folder, { length }]) => `src/${folder} has ${length} files: at most ${MOST_FILES_OF_A_FOLDER}`),
    ...(entries > MOST_ENTRIES_OF_SRC ? [`src has ${entries} entries: at most ${MOST_ENTRIES_OF_SRC}`] : []),
  ];
}

/** By their names: one that is used elsewhere for something else is not noticed. */
function unusedExports(): string[] {
  const uses = new Map<string, number>();
  for (const folder of ['src', 'test', 'scripts'].map((name) => join(SRC, '..', name))) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/\.[jt]s$/.test(file)) continue;
      const words = new Set(readFileSync(join(folder, file), 'utf8').match(/\w+/g));
      for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
    }
  }
  return files.flatMap((file) => {
    const exported = readFileSync(join(SRC, file), 'utf8').matchAll(/^export (?:async )?\w+\*? (\w+)/gm);
    const names = [...exported].map(([, name]) => name!).filter((name) => uses.get(name) === 1);
    return names.map((name) => `${file} exports ${name}, which no other file uses`);
  });
}

/** `''` and each folder with a slash at its end. */
function foldersOf(file: string): string[] {
  const names = file.split('/').slice(0, -1);
  return ['', ...names.map((_, at) => `${names.slice(0, at + 1).join('/')}/`)];
}

function entryOf(folder: string, file: string): string {
  return file.slice(folder.length).split('/')[0]!;
}
