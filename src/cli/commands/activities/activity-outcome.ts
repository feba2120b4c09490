import { formatKey } from '../../../artifacts/artifact-key.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { PerformedRun } from '../../../records/activities/perform-run.ts';
import type { RunOutcome } from '../../../records/activities/run-activity.ts';
import type { RunSummary } from '../../../records/activities/run-summary.ts';
import type { Call } from '../../cli-command.ts';
import { plural } from '../../ui/table.ts';

/** Prints the key of the written artifact, and for users a summary of the run. */
export async function printOutcome(
  call: Call<{ readonly started?: Date }>,
  { outcome, plan }: PerformedRun,
): Promise<void> {
  const { terminal, options } = call;
  const { summary, errata, companion, newer } = outcome;
  const { key, start, published } = summary;
  if (options.started !== undefined && start !== options.started.toISOString()) {
    terminal.say(`That second was taken, so this run has the next free one: ${start}.`);
  }
  for (const { id, line, reason } of errata.first) {
    terminal.say(`${[line && `line ${line}`, id].filter(Boolean).join(', ') || 'a record'}: ${reason}`);
  }
  const more = errata.count - errata.first.length;
  if (more > 0) terminal.say(`… and ${formatCount(more)} more`);
  for (const line of describe(summary)) terminal.say(line);
  for (const line of hintsOf(summary)) terminal.say(line);
  if (errata.count > 0) terminal.say(`Each of them is in ${formatKey({ kind: 'errata', of: key })}.`);
  for (const line of verdictOf(outcome)) terminal.say(line);
  if (newer !== undefined) {
    terminal.say(`The newest is still ${newer}, which began later: what takes the newest does not take this one.`);
  }
  const files = {
    summary: formatKey({ kind: 'summary', of: key }),
    ...(errata.count > 0 && { errata: formatKey({ kind: 'errata', of: key }) }),
    ...(companion !== undefined && { deleted: companion }),
    ...(plan !== undefined && { plan }),
  };
  if (terminal.json) await terminal.print('', { ...summary, files });
  else if (published) await terminal.write([key, plan].map((line) => (line === undefined ? '' : `${line}\n`)).join(''));
}

function describe(summary: RunSummary): readonly string[] {
  const { activity, attempted, written, deleted, failed, duplicates, omitted } = summary;
  const { passedOver = 0, passedOverLinks = 0 } = summary;
  const parts = [
    `${formatCount(written)} ${summary.published ? 'written' : 'to write'}`,
    ...(deleted > 0 ? [`${formatCount(deleted)} deleted`] : []),
    `${formatCount(failed)} failed`,
    ...(duplicates > 0 ? [`${formatCount(duplicates)} left out because their id comes again`] : []),
    ...(omitted > 0 ? [`${formatCount(omitted)} left out by the transform`] : []),
  ];
  const size = summary.length === undefined ? '' : `, ${formatBytes(summary.length)}`;
  const rate = `${summary.seconds.toFixed(1)} s (${formatCount(summary.recordsPerSecond)} records/s${size})`;
  const kinds = Object.entries(summary.errors).map(([kind, count]) => `  ${kind}: ${formatCount(count)}`);
  const skipped = [
    ...(passedOver > 0 ? [`${plural(passedOver, 'file')} passed over: the suffix is of no document`] : []),
    ...(passedOverLinks > 0 ? [`${plural(passedOverLinks, 'link')} passed over: to no file in the folder`] : []),
  ];
  return [`${activity}: ${plural(attempted, 'record')} read, ${parts.join(', ')}, in ${rate}`, ...kinds, ...skipped];
}

function hintsOf({ activity, written, notRdf = 0, transform }: RunSummary): readonly string[] {
  if (notRdf === 0) return [];
  const advice =
    activity === 'mapping' && transform === 'identity'
      ? ': to map them, name a mapping or a module with --transform'
      : '';
  return [
    `Hint: ${formatCount(notRdf)} of ${plural(written, 'document')} ${notRdf === 1 ? 'does' : 'do'} not seem to be RDF, which MAP 4.0 is${advice}.`,
  ];
}

function verdictOf({ verdict, summary }: RunOutcome): readonly string[] {
  const { written, previous, drop = 0 } = summary;
  const percent = `${(drop * 100).toFixed(1)} %`;
  const than = `${percent} fewer than the ${plural(previous?.written ?? 0, 'record')} of ${previous?.key}`;
  switch (verdict) {
    case 'fine':
      return [];
    case 'warn':
      return [`Warning: ${plural(written, 'record')}, ${than}.`];
    case 'stop':
      return [
        `Nothing was published: ${plural(written, 'record')} would be ${than}.`,
        'Check what failed, and the source. If the drop is right, run it again with --accept-drop.',
      ];
    case 'empty':
      return [
        'Nothing was published: there is not one record to write.',
        'If an empty file is what you want, run it again with --accept-drop.',
      ];
  }
}
