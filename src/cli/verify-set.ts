import { TidemarkError } from '../domain/errors.ts';
import { type VerifyProgress, type VerifyReport, verify } from '../verify/verify.ts';
import type { CliCommand } from './cli-command.ts';
import { EXIT } from './exit-code.ts';
import { startProgress } from './progress.ts';
import { formatCount, plural } from './table.ts';
import { withExistingApp } from './with-app.ts';

interface Options {
  readonly root?: boolean;
}

const STEPS: Readonly<Record<VerifyProgress['step'], string>> = {
  log: 'changes',
  state: 'states',
  root: 'files',
  records: 'records',
};

export const verifySet: CliCommand<Options> = {
  usage: 'verify <id>',
  summary: 'Verifies that the state of a set is what its log says; exit code 1 when it is not.',

  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command.option(
      '--root',
      "also read every file of the set's folder, or the artifact of its records, and compare it with the state",
    );
  },

  async run(call) {
    const { terminal, args, options, stopped } = call;
    const progress = startProgress(terminal);
    const report = await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(args[0]!);
      if (options.root && set.root === undefined && set.records === undefined) {
        throw new TidemarkError('invalid', `the set ${set.slug} has no root to compare with`, { set: set.slug });
      }
      return verify({
        set,
        index: app.index,
        root: options.root && set.root !== undefined ? app.rootOf(set).root : undefined,
        records: options.root && set.records !== undefined ? app.records.upkeepOf(set) : undefined,
        signal: stopped,
        onProgress: ({ step, done }) => progress.tell(`verifying: ${plural(done, STEPS[step].slice(0, -1))} so far`),
      });
    }).finally(() => progress.end());
    await terminal.print(describe(args[0]!, report), {
      set: args[0],
      equal: report.differences.total === 0,
      ...report,
    });
    return report.differences.total === 0 ? EXIT.done : EXIT.failed;
  },
};

function describe(slug: string, { differences, ...report }: VerifyReport): string {
  const { changes, resources, tombstones, files, records, changedMeanwhile } = report;
  const seen = [plural(changes, 'change'), plural(resources, 'resource'), plural(tombstones, 'tombstone')];
  if (files !== undefined) seen.push(plural(files, 'file'));
  if (records !== undefined) seen.push(plural(records, 'record'));
  const lines = differences.first.map(
    ({ kind, key, message }) => `${kind}: ${key === undefined ? '' : `${key} `}${message}`,
  );
  if (differences.total > lines.length) lines.push(`… and ${formatCount(differences.total - lines.length)} more`);
  if (changedMeanwhile > 0) {
    lines.push(`${plural(changedMeanwhile, 'resource')} changed meanwhile, so counts were compared only that exactly.`);
  }
  lines.push(
    `${slug}: ${differences.total === 0 ? 'no difference' : plural(differences.total, 'difference')} in ${seen.join(', ')}.`,
  );
  return lines.join('\n');
}
