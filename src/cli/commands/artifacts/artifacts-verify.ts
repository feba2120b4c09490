import { type ArtifactReport, describeDamaged } from '../../../backup/verify/verify-artifacts.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { ARTIFACT_SETTINGS } from '../../artifact-output.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { printableLine } from '../../ui/printable.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

/** Damaged artifacts that are printed; their number is that of all. */
const MOST_PRINTED = 1_000;

export const artifactsVerify: CliCommand = {
  group: 'artifacts',
  usage: 'verify',
  summary:
    'Reads all stored artifacts, also packages of dumps, uploads and kept versions, and compares them with their digests; exit code 1 when one is damaged.',
  examples: [['artifacts verify', 'names each damaged artifact, and what to do; it is not served any more']],
  settings: [...ARTIFACT_SETTINGS, 'verifyArtifactsRate'],

  async run(call) {
    const { terminal, stopped: signal } = call;
    const bar = startCountBar(terminal);
    const report = await withExistingApp(call, (app) =>
      app.backup.verifyArtifacts({
        signal,
        onProgress: (done, total) => bar.update('Comparing artifacts', done, total),
      }),
    ).finally(() => bar.end());
    const { damaged, totalDamaged, ...counts } = report;
    const first = damaged.slice(0, MOST_PRINTED);
    const isWhole = totalDamaged === 0;
    await terminal.print(describe(report), { whole: isWhole, ...counts, damaged: { total: totalDamaged, first } });
    return isWhole ? EXIT.done : EXIT.failed;
  },
};

function describe({ artifacts, bytes, withoutDigest, damaged, totalDamaged }: ArtifactReport): string {
  const lines = damaged.slice(0, MOST_PRINTED).map((one) => printableLine(describeDamaged(one)));
  if (totalDamaged > lines.length) lines.push(`… and ${formatCount(totalDamaged - lines.length)} more`);
  const unknown = withoutDigest === 0 ? '' : `; of ${formatCount(withoutDigest)} no digest is known`;
  const found = totalDamaged === 0 ? 'no damage' : `${formatCount(totalDamaged)} damaged`;
  lines.push(`${found} in ${plural(artifacts, 'artifact')}, ${formatBytes(bytes)}${unknown}.`);
  return lines.join('\n');
}
