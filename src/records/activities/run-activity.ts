import type { ArtifactStore, ObjectKey, StoredObject } from '../../artifacts/artifact-store.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import { docText } from '../../artifacts/avro/doc-text.ts';
import { latestArtifact } from '../../artifacts/find-artifacts.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { type DropLimits, type DropVerdict, dropOf, judgeDrop } from '../drop.ts';
import { ErrataWriter } from '../errata/errata-writer.ts';
import type { Erratum } from '../errata/erratum.ts';
import type { RecordTransformer } from '../transforms/transform-runner.ts';
import type { RunnableActivity } from './activities.ts';
import { type Claim, claimSecond } from './claim.ts';
import { Gathering, type Progress } from './gathering.ts';
import type { Superseded } from './id-ledger.ts';
import { publish, writeAccount, writeFiles } from './publishing.ts';
import type { RecordSource } from './readers/record-source.ts';
import { type PreviousRun, previousRun, type RunSummary } from './run-summary.ts';

export interface RunOptions {
  readonly store: ArtifactStore;
  readonly provider: string;
  readonly activity: RunnableActivity;
  readonly source: RecordSource;
  /** The origin of the records, for the provenance: the key of an artifact; for a harvest, a URL. */
  readonly generator: string;
  readonly schema: DocumentSchemaId;
  /** Undefined for a harvest. */
  readonly transform: RecordTransformer | undefined;
  /** The given start of the run, in place of the current time. */
  readonly start?: Date | undefined;
  readonly limits: DropLimits;
  /** Publishes whatever the drop, and even without any record. */
  readonly acceptDrop: boolean;
  /** The folder of what is gathered before it is published; created when missing. */
  readonly folder: string;
  /** Version of the software. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** Called when the run has its key, before it reads anything. */
  onClaimed?: ((claim: { readonly key: ObjectKey; readonly generator: string }) => Promise<void>) | undefined;
  onProgress(progress: Progress): void;
}

export interface RunOutcome {
  readonly summary: RunSummary;
  readonly verdict: Verdict;
  /** Start of the run, as in the key. */
  readonly start: Date;
  /** The key of the file of deleted records. */
  readonly companion: ObjectKey | undefined;
  /** A file with a later start than this run, so that this one is not the newest. */
  readonly newer: ObjectKey | undefined;
  /** Number of records in the errata, and the first of them. */
  readonly errata: { readonly count: number; readonly first: readonly Erratum[] };
}

/** `empty`: there is no record to publish, and no drop was accepted. `stop` and `empty` publish nothing. */
type Verdict = DropVerdict | 'empty';

/**
 * Runs an activity: reads all records, then writes the Avro file, the errata, the summary, and last the provenance,
 * which makes the artifact exist. An error before that leaves nothing that a list contains.
 * @throws what the source and the store throw; the signal's reason
 */
export async function runActivity(options: RunOptions): Promise<RunOutcome> {
  const { store, folder, version, signal } = options;
  const began = new Date();
  makeFolder(folder);
  const claim = await claimSecond(store, { ...options, start: options.start ?? began }, { version, signal });
  await options.onClaimed?.({ key: claim.key, generator: options.generator });
  failpoint('activity.claimed');
  const errata = new ErrataWriter(store, { kind: 'errata', of: claim.key }, { signal });
  const gathered = await Gathering.begin(folder, errata);
  try {
    return await run({ ...claim, options, began, gathered });
  } finally {
    await gathered.close();
  }
}

async function run({ options, key, start, began, gathered }: RunningFacts): Promise<RunOutcome> {
  const { store, provider, activity, schema, generator, version, signal, onProgress } = options;
  const doc = docText({ activity, provider, generator, software: `tidemark ${version}` });
  await gathered.gather({ ...options, doc, context: { provider, activity, generator } });
  failpoint('activity.gathered');

  const comparison = await compareWithPrevious(options, start, gathered);
  const { verdict, superseded } = comparison;
  const facts = { options, key, start, began, gathered, ...comparison };
  if (verdict === 'stop' || verdict === 'empty') {
    const summary = summaryOf(facts, undefined);
    await writeAccount({ store, key, gathered, signal }, summary);
    return { verdict, start, summary, errata: errataOf(gathered), companion: undefined, newer: undefined };
  }
  const { attempted } = gathered.counts;
  const { file, companion } = await writeFiles({
    store,
    key,
    schema,
    doc,
    gathered,
    superseded,
    signal,
    onProgress: (done, total) => onProgress({ step: 'writing', attempted, done, total: Math.max(done, total) }),
  });
  const summary = summaryOf(facts, file);
  await writeAccount({ store, key, gathered, signal }, summary);
  await publish({ store, key, signal }, companion, { generator, version });
  const newest = (await latestArtifact(store, { provider, activity }))?.key;
  const newer = newest === key ? undefined : newest;
  return { verdict, start, summary, errata: errataOf(gathered), companion, newer };
}

function errataOf({ errata: { count, first } }: Gathering): RunOutcome['errata'] {
  return { count, first };
}

interface Comparison {
  readonly superseded: Superseded;
  /** Number of records that the file will have. */
  readonly written: number;
  readonly previous: PreviousRun | undefined;
  readonly drop: number | undefined;
  readonly verdict: Verdict;
}

/** Compares the gathered records with the previous run. */
async function compareWithPrevious(options: RunOptions, start: Date, gathered: Gathering): Promise<Comparison> {
  const { store, provider, activity } = options;
  const superseded = gathered.ids.superseded();
  const previous = await previousRun(store, { provider, activity, start });
  const written = gathered.counts.written - superseded.countOf('records');
  const drop = previous && dropOf(previous.written, written);
  return { superseded, written, previous, drop, verdict: judge(options, written, drop) };
}

function judge({ acceptDrop, limits }: RunOptions, written: number, drop = 0): Verdict {
  const verdict = judgeDrop(drop, limits);
  if (acceptDrop) return verdict === 'stop' ? 'warn' : verdict;
  return verdict !== 'stop' && written === 0 ? 'empty' : verdict;
}

interface RunningFacts extends Claim {
  readonly options: RunOptions;
  readonly began: Date;
  readonly gathered: Gathering;
}

interface Facts extends RunningFacts, Comparison {}

/** @param file undefined when nothing was published */
function summaryOf(facts: Facts, file: StoredObject | undefined): RunSummary {
  const { options, key, start, began, gathered, superseded, written, previous, drop } = facts;
  const { provider, activity, generator, transform, version, source } = options;
  const { attempted, deleted, omitted, notRdf } = gathered.counts;
  const passedOver = source.passedOver?.();
  const ended = new Date();
  const seconds = (ended.getTime() - began.getTime()) / 1000;
  return {
    ...{ provider, activity, key, generator, transform: transform?.name, version },
    published: file !== undefined,
    start: start.toISOString(),
    began: began.toISOString(),
    ended: ended.toISOString(),
    seconds,
    recordsPerSecond: Math.round(attempted / Math.max(seconds, 0.001)),
    attempted,
    written,
    deleted: deleted - superseded.countOf('deleted'),
    failed: gathered.errata.counts.errors,
    duplicates: superseded.count,
    omitted,
    notRdf: notRdf === 0 ? undefined : notRdf,
    passedOver: passedOver?.files,
    passedOverLinks: passedOver?.links || undefined,
    errors: Object.fromEntries(gathered.errata.counts.list().map(({ reason, count }) => [reason, count])),
    length: file?.length,
    hashes: file?.hashes,
    previous,
    drop,
  };
}
