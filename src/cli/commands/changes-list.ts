import type { Change } from '../../core/change.ts';
import type { Hashes } from '../../core/hash.ts';
import { locationOf } from '../../core/key.ts';
import { boundaryAfter, boundaryBefore, formatStamp, type Stamp } from '../../core/stamp.ts';
import { formatSeconds } from '../../core/w3c-datetime.ts';
import type { CliCommand } from '../cli-command.ts';
import { timestamp } from '../options.ts';
import { withExistingApp } from '../with-app.ts';

interface Options {
  readonly from?: Stamp;
  readonly until?: Stamp;
}

export const changesList: CliCommand<Options> = {
  group: 'changes',
  usage: 'list <id>',
  summary: 'Lists changes in the order of time, one a line; with --json as events that can be posted again.',
  examples: [['changes list maps --from 2026-01-31', 'lists the changes since a day (UTC)']],

  options(command) {
    command
      .option('--from <time>', 'changes from this time on: 2026-01-31T12:00:00Z, or a day', timestamp('first'))
      .option('--until <time>', 'changes up to this time, or the end of this day', timestamp('last'));
  },

  async run(call) {
    const { terminal, options, args, stopped } = call;
    const after = options.from === undefined ? 0 : boundaryBefore(options.from);
    const until = options.until === undefined ? undefined : boundaryAfter(options.until);
    const format = terminal.json ? toJsonLine : toLine;
    await withExistingApp(call, async ({ sets, index }) => {
      const { id } = await sets.bySlug(args[0]!);
      for await (const batch of index.changes(id, { after, until })) {
        stopped.throwIfAborted();
        await terminal.write(batch.map(format).join(''));
      }
    });
  },
};

function toLine({ stamp, kind, key }: Change): string {
  return `${formatStamp(stamp)}  ${kind.padEnd(7)}  ${key}\n`;
}

/** Formats a change like a posted event. */
function toJsonLine({ key, kind, stamp, state, order }: Change): string {
  const event = {
    location: locationOf(key),
    change: kind,
    datetime: formatStamp(stamp),
    lastmod: state?.lastmod === undefined ? undefined : formatSeconds(state.lastmod),
    length: state?.length,
    hash: hashText(state?.hashes),
    mime: state?.mime,
    ln: state?.links?.map(({ hashes, modified, ...link }) => ({
      ...link,
      href: locationOf(link.href),
      modified: modified === undefined ? undefined : formatSeconds(modified),
      hash: hashText(hashes),
    })),
    order,
  };
  return `${JSON.stringify(event)}\n`;
}

function hashText(hashes: Hashes = {}): string | undefined {
  const texts = Object.entries(hashes).map(([algorithm, digest]) => `${algorithm}:${digest}`);
  return texts.length === 0 ? undefined : texts.join(' ');
}
