import { TidemarkError } from '../../../core/errors.ts';
import { keyOfPath } from '../../../core/key.ts';
import { publishesNone } from '../../../core/publishes-none.ts';
import { keptSince } from '../../../core/resource-set.ts';
import { mementoUri, setHome } from '../../../core/set-uris.ts';
import { formatStamp } from '../../../core/stamp.ts';
import type { Version } from '../../../publish/versions/versions.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { wholeNumber } from '../../options.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly limit: number;
}

export const versionsList: CliCommand<Options> = {
  group: 'versions',
  usage: 'list <id> [key]',
  summary: 'Lists the kept versions of a set, or of the resource with a key, the newest first, one a line.',
  examples: [
    ['versions list maps', 'lists the kept versions of a set'],
    ['versions list maps /europe/alps.tif', 'of one resource'],
  ],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command.option('--limit <n>', 'stop after so many', wholeNumber(1, 1_000_000_000), 100);
  },

  async run(call) {
    const { terminal, args, options, stopped } = call;
    await withExistingApp(call, async ({ sets, publishing: { versions } }) => {
      const set = await sets.bySlug(args[0]!);
      if (keptSince(set) === undefined) throw new TidemarkError('not-found', publishesNone(set), { set: set.slug });
      const home = setHome((await sets.source()).baseUrl, set.slug);
      let printed = 0;
      for await (const version of versions.newest(set, args[1])) {
        stopped.throwIfAborted();
        if (printed === options.limit) {
          terminal.say(`These are the newest ${printed}; --limit prints more.`);
          break;
        }
        await terminal.write(terminal.json ? toJsonLine(home, version) : toLine(version));
        printed += 1;
      }
      if (printed === 0) terminal.say(describeNone(args[1]));
    });
    return EXIT.done;
  },
};

function toLine({ key, stamp, state }: Version): string {
  const { length = 0, hashes } = state;
  return `${formatStamp(stamp)}  ${String(length).padStart(12)}  ${hashes?.['sha-256'] ?? '-'}  ${key}\n`;
}

function toJsonLine(home: string, { key, stamp, state: { length, hashes } }: Version): string {
  const line = { uri: mementoUri(home, stamp, key), key, datetime: formatStamp(stamp), length, hashes };
  return `${JSON.stringify(line)}\n`;
}

function describeNone(key: string | undefined): string {
  if (key === undefined) return 'No version is kept.';
  const ofPath = keyOfPath(key.replace(/^\//, ''));
  // A key that has escapes was probably copied.
  const isKey = key === ofPath || key.includes('%');
  const hint = isKey ? '' : ` Keys of files begin with a slash, and are percent-encoded: try ${ofPath}`;
  return `No version of ${key} is kept.${hint}`;
}
