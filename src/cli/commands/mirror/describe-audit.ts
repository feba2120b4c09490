import type { AuditReport, Difference } from '../../../client/mirror/audit.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { plural } from '../../ui/table.ts';

const MOST_SHOWN = 20;

const KINDS: Readonly<Record<Difference['kind'], string>> = {
  'not-copied': 'is listed, and not copied as it is listed',
  'not-deleted': 'is not listed any more',
  missing: 'is missing in the copy',
  changed: 'was changed in the copy',
  extra: 'is of no resource',
};

/** Describes the result of an audit for users. */
export function describeAudit({ listed, files, count, differences, pending }: AuditReport): string {
  const shown = differences.slice(0, MOST_SHOWN).map(({ kind, name }) => `  ${name} ${KINDS[kind]}`);
  const found = count === 0 ? 'No differences' : plural(count, 'difference');
  return [
    `${found}: ${plural(listed, 'resource is', 'resources are')} listed, and the copy has ${plural(files, 'file')}.`,
    ...shown,
    ...(count > shown.length ? [`  … and ${formatCount(count - shown.length)} more`] : []),
    ...(pending > 0 ? [`Since the last pass, ${plural(pending, 'resource has', 'resources have')} changed.`] : []),
    ...(differences.some(({ kind }) => kind === 'missing' || kind === 'changed')
      ? ['What is missing or was changed is fetched again by the next call without --audit.']
      : []),
    ...(differences.some(({ kind }) => kind === 'not-copied' || kind === 'not-deleted')
      ? ['What is not as it is listed is mended by a call with --compare.']
      : []),
    ...(differences.some(({ kind }) => kind === 'extra')
      ? ['A file that is of no resource is left alone, and each audit finds it: remove it, or move it elsewhere.']
      : []),
  ].join('\n');
}
