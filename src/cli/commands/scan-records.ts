import type { App } from '../../app.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { bringUpToDate } from '../../sources/artifact/bring-up-to-date.ts';
import type { RecordsSummary } from '../../sources/artifact/records-summary.ts';
import type { ScanProgress } from '../../sources/sync/scan-summary.ts';
import { formatCount, plural } from '../ui/table.ts';
import type { Terminal } from '../ui/terminal.ts';

export interface RecordsScanOptions {
  readonly dryRun?: boolean | undefined;
  readonly rehash?: boolean | undefined;
  readonly acceptEmpty?: boolean | undefined;
  readonly acceptOlder?: boolean | undefined;
}

interface Scanning {
  readonly options: RecordsScanOptions;
  readonly signal: AbortSignal;
  onProgress(progress: ScanProgress): void;
}

const TOLD_DUPLICATES = 10;

/** Makes a set tell the newest artifact at once. Undefined when it told it already. */
export async function scanRecords(
  app: App,
  set: ResourceSet,
  { options, signal, onProgress }: Scanning,
): Promise<RecordsSummary | undefined> {
  const { dryRun, rehash, acceptEmpty, acceptOlder } = options;
  const summary = await bringUpToDate({
    ...app.records.upkeepOf(set),
    dryRun,
    again: rehash,
    acceptsEmpty: acceptEmpty,
    acceptsOlder: acceptOlder,
    signal,
    onProgress,
  });
  if (dryRun === true) return summary;
  if (summary !== undefined) app.journal.noteScan(set, summary);
  await app.sets.markReady(set.slug);
  return summary;
}

export function describeRecordsProgress({ files, bytes }: ScanProgress): string {
  return `comparing: ${plural(files, 'record')} read (${formatBytes(bytes)})`;
}

export function tellDuplicates({ duplicates, duplicateKeys }: RecordsSummary, terminal: Terminal): void {
  if (duplicates === 0) return;
  const some = duplicateKeys.slice(0, TOLD_DUPLICATES).join(' ');
  const more = duplicates > TOLD_DUPLICATES ? ' …' : '';
  terminal.tell(`${plural(duplicates, 'record')} came before another one of the same id, which counts: ${some}${more}`);
}

export function describeRecordsScan(slug: string, summary: RecordsSummary | undefined, dryRun: boolean): string {
  if (summary === undefined) return `${slug} tells the newest artifact already. With --rehash, it is compared again.`;
  const { artifact, files, created, updated, deleted, problemCount, seconds } = summary;
  const changes = `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`;
  const would = dryRun ? ' (nothing was posted)' : '';
  const problems = problemCount > 0 ? `; ${plural(problemCount, 'record')} could not be published` : '';
  return `${slug}: ${plural(files, 'record')} of ${artifact} in ${seconds.toFixed(1)} s: ${changes}${would}${problems}.`;
}

/** What `--json` prints. */
export function viewRecordsScan(slug: string, summary: RecordsSummary | undefined, dryRun: boolean): object {
  if (summary === undefined) return { set: slug, dryRun, compared: false };
  const { files: records, hashed: read, left: _left, ...rest } = summary;
  return { set: slug, dryRun, compared: true, records, read, ...rest };
}
