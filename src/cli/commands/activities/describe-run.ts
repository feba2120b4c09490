import type { RunErrorView, RunView } from '../../../api/activity-run-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { printableLine } from '../../ui/printable.ts';
import { plural } from '../../ui/table.ts';

type ShownRun = RunView & { readonly firstErrors: readonly RunErrorView[] };

export function describeRun(run: ShownRun): string {
  const { organization, activity, number, state, totals, firstErrors } = run;
  const lines = Object.entries(factsOf(run)).filter(([, value]) => value !== undefined);
  return [
    `${organization}/${activity}/${number}: ${state}`,
    ...lines.map(([name, value]) => `  ${name}: ${printableLine(String(value))}`),
    ...(totals === undefined ? [] : [`  ${numbersOf(totals)}`]),
    ...Object.entries(totals?.errors ?? {}).map(([kind, count]) => `    ${printableLine(kind)}: ${formatCount(count)}`),
    ...firstErrors.map((erratum) => `  ${printableLine(erratumText(erratum))}`),
  ].join('\n');
}

function factsOf({ added, started, ended, trigger, job, options, generator, artifact, plan, failure }: RunView) {
  const given = JSON.stringify(options);
  return {
    failure,
    added: `${added}, by ${trigger === 'chain' ? 'a newer artifact' : `a ${trigger}`}`,
    started,
    ended,
    job,
    options: given === '{}' ? undefined : given,
    reads: generator,
    artifact,
    plan,
  };
}

function numbersOf({ attempted, written, deleted, failed, duplicates, omitted, drop }: NonNullable<RunView['totals']>) {
  const parts = [
    `${plural(attempted, 'record')} read`,
    `${formatCount(written)} written`,
    `${formatCount(deleted)} deleted`,
    `${formatCount(failed)} failed`,
    `${formatCount(duplicates)} left out because their id comes again`,
    `${formatCount(omitted)} left out by the transform`,
  ];
  const fewer = drop === undefined || drop === 0 ? '' : `; ${(drop * 100).toFixed(1)} % fewer than before`;
  return `${parts.join(', ')}${fewer}`;
}

function erratumText({ line, id, message }: RunErrorView): string {
  return `${[line && `line ${line}`, id].filter(Boolean).join(', ') || 'a record'}: ${message}`;
}
