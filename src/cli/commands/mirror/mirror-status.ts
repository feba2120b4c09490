import { join } from 'node:path';
import { OWN_PREFIX } from '../../../client/mirror/names/safe-name.ts';
import type { Facts } from '../../../client/mirror/state/facts.ts';
import { holderOf } from '../../../client/mirror/state/mirror-lock.ts';
import { MirrorState, STATE_FILE } from '../../../client/mirror/state/mirror-state.ts';
import type { MirrorPlace } from '../../../client/mirror/target/mirror-place.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { formatStamp } from '../../../core/stamp.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { quoted } from '../../program-name.ts';
import { plural } from '../../ui/table.ts';
import type { Terminal } from '../../ui/terminal.ts';
import { describeFailures, describeRenamed } from './describe-pass.ts';

const MOST_FAILURES = 1_000;

/** Prints the state of a copy; exit code 1 when some of its resources could not be copied. */
export async function printMirrorStatus(terminal: Terminal, place: MirrorPlace): Promise<ExitCode> {
  const state = openState(place);
  try {
    const { count, bytes, failures: failed } = state.totals();
    const failures = state.failures(MOST_FAILURES);
    const renamed = state.renamed();
    const cursor = state.fact('cursor');
    const pid = holderOf(join(place.stateFolder, OWN_PREFIX));
    const lastPass = state.fact('lastPass');
    const bucket = state.fact('bucket');
    const view = {
      url: state.fact('url'),
      set: state.fact('set'),
      resources: count,
      bytes,
      renamed,
      failed,
      ...(cursor !== undefined && { upTo: formatStamp(cursor) }),
      ...(lastPass !== undefined && { lastPass: { ...lastPass, time: new Date(lastPass.time).toISOString() } }),
      ...(pid !== undefined && { pid: Number(pid) }),
      failures: failures.map(({ uri, reason }) => ({ uri, reason })),
    };
    const lines = [
      view.set === undefined
        ? `${bucket?.name ?? place.name} is for a copy that has not begun: no source was found yet.`
        : `${bucket?.name ?? place.name} is a copy of ${view.url}, set ${view.set}.`,
      `It has ${plural(count, 'resource')} (${formatBytes(bytes)}).`,
      describeLastPass(lastPass),
      ...(view.upTo === undefined ? [] : [`It has every change before ${view.upTo}.`]),
      pid === undefined ? 'No process keeps it now.' : `Process ${pid} keeps it.`,
      ...describeRenamed(renamed),
      ...describeFailures(failures, failed),
    ];
    await terminal.print(lines.join('\n'), view);
    return failed > 0 ? EXIT.failed : EXIT.done;
  } finally {
    state.close();
  }
}

function openState({ name, stateFolder }: MirrorPlace): MirrorState {
  try {
    return new MirrorState(join(stateFolder, STATE_FILE), true);
  } catch (error) {
    if (!isTidemarkError(error, 'not-found')) throw error;
    throw new TidemarkError(
      'not-found',
      name === stateFolder
        ? `${name} is not a copy that tidemark made: tidemark mirror URL ${quoted(name)} makes one`
        : `there is no state of a copy in ${name} in ${stateFolder}: tidemark mirror URL ${quoted(name)} makes a copy`,
      { folder: stateFolder },
    );
  }
}

function describeLastPass(last: Facts['lastPass'] | undefined): string {
  if (last === undefined) return 'It is not complete yet.';
  const time = new Date(last.time).toISOString();
  return last.failure === undefined
    ? `The last pass ended at ${time}.`
    : `The last pass failed: ${last.failure} (${time})`;
}
