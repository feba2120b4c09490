import type { PassReport } from '../../../client/mirror/mirror-options.ts';
import type { FailedResource } from '../../../client/mirror/state/mirror-state.ts';
import { formatStamp } from '../../../core/stamp.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { plural } from '../../ui/table.ts';

const MOST_SHOWN = 10;

const REASONS = {
  first: 'It was made from the Resource List.',
  gap: 'It was compared with the Resource List, because the Change List does not show every change since the pass before.',
  'no-changes': 'It was compared with the Resource List, because the source has no changes to follow.',
  asked: 'It was compared with the Resource List.',
} as const;

/** Describes the result of a pass for users. */
export function describePass(report: PassReport, failures: readonly FailedResource[]): string {
  const { fetched, fromDump, bytes, deleted, adopted, failed, resources, totalBytes, compared, upTo, renamed } = report;
  const done = [
    ...(fetched > 0
      ? [
          `${formatCount(fetched)} fetched (${formatBytes(bytes)})${fromDump > 0 ? `, ${formatCount(fromDump)} of them from the Resource Dump` : ''}`,
        ]
      : []),
    ...(deleted > 0 ? [`${formatCount(deleted)} deleted`] : []),
    ...(adopted > 0 ? [`${formatCount(adopted)} found to be right`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
  ];
  return [
    `${done.length === 0 ? 'Nothing to do' : done.join(', ')}: the copy has ${plural(resources, 'resource')} (${formatBytes(totalBytes)}).`,
    ...(compared === undefined ? [] : [REASONS[compared]]),
    ...(upTo === undefined ? [] : [`It has every change before ${formatStamp(upTo)}.`]),
    ...describeRenamed(renamed),
    ...describeFailures(failures, failed),
  ].join('\n');
}

export const describeRenamed = (count: number): readonly string[] =>
  count === 0
    ? []
    : [
        `${plural(count, 'resource has', 'resources have')} another name in the copy than in the URI (docs/mirror.md, Paths).`,
      ];

export function describeFailures(failures: readonly FailedResource[], count: number): readonly string[] {
  if (count === 0) return [];
  const shown = failures.slice(0, MOST_SHOWN).map(({ uri, reason }) => `  ${uri}: ${reason}`);
  const more = count > shown.length ? [`  … and ${formatCount(count - shown.length)} more`] : [];
  return [
    'These resources could not be copied; their files are as they were, and the next call tries them again:',
    ...shown,
    ...more,
  ];
}

export function passView(report: PassReport, failures: readonly FailedResource[]) {
  const { upTo, took, compared, ...counts } = report;
  return {
    ...counts,
    ...(compared !== undefined && { compared }),
    ...(upTo !== undefined && { upTo: formatStamp(upTo) }),
    seconds: Math.round(took) / 1000,
    failures: failures.slice(0, MOST_SHOWN).map(({ uri, reason }) => ({ uri, reason })),
  };
}
