import type { CollectionView } from '../../../api/collection-view.ts';
import { printableLine } from '../../ui/printable.ts';
import { plural } from '../../ui/table.ts';

export function describeCollection(view: CollectionView): string {
  const { collection, title } = view;
  const facts = Object.entries(factsOf(view)).filter(([, value]) => value !== undefined && value !== '');
  return [
    title === undefined ? collection : `${collection}: ${printableLine(title)}`,
    ...facts.map(([name, value]) => `  ${name}: ${printableLine(String(value))}`),
  ].join('\n');
}

function factsOf(view: CollectionView): Readonly<Record<string, string | undefined>> {
  const { baseUrl, format, sets, provider, transform, malformed, validate, requireUri, repository } = view;
  const checks = [validate && 'by the schema of its format', requireUri && 'for an identifier that is a URI'];
  const own = repository.sets === undefined ? 'no sets' : plural(repository.sets.length, 'set');
  return {
    repository: `${baseUrl} (${repository.name}; ${own}; deletions: ${repository.deletions})`,
    format,
    sets: sets.length === 0 ? 'all records' : sets.join(', '),
    organization: provider,
    transform,
    'malformed XML': malformed === 'stop' ? 'stops the run' : 'skips the record',
    checked: checks.filter(Boolean).join(', '),
    harvested: whenText(view.schedule),
    'in full': whenText(view.fullSchedule),
    next: view.next,
    handle: view.handle,
    'message to': view.message,
  };
}

function whenText(schedule: string | undefined): string {
  return schedule === undefined ? 'when asked for' : `at ${schedule}`;
}
