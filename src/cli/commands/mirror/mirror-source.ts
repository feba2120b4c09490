import { type Command, Option } from 'commander';
import type { Mirror } from '../../../client/mirror/mirror.ts';
import type { Outage, PassReport } from '../../../client/mirror/mirror-options.ts';
import type { MirrorPlace } from '../../../client/mirror/target/mirror-place.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { armFailpoint } from '../../../lib/failpoint.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { collect, interval, wholeNumber } from '../../options.ts';
import { addCredentialOptions, type CredentialFlags, credentialFiles, parseSourceUrl } from '../../other-source.ts';
import { plural } from '../../ui/table.ts';
import { describeAudit } from './describe-audit.ts';
import { describePass, passView } from './describe-pass.ts';
import { type MirrorBar, startMirrorBar } from './mirror-bar.ts';

interface Options extends CredentialFlags {
  readonly set?: string;
  readonly compare?: boolean;
  readonly follow?: boolean;
  readonly audit?: boolean;
  readonly rehash?: boolean;
  readonly interval?: number;
  readonly adopt?: boolean;
  readonly keepDeleted?: boolean;
  readonly state?: string;
  readonly dump?: boolean;
  readonly connections?: number;
  readonly rate?: number;
  readonly allowHost?: readonly string[];
  readonly fromContact?: string;
}

const CONNECTIONS = 4;
const INTERVAL_MS = 30_000;
/** Milliseconds. Shorter pauses are not reported while a source is followed. */
const LONG_PAUSE_MS = 30_000;
const STATE_HELP =
  'of a copy in a bucket: the folder for its state (default: one for each copy in ~/.local/state/tidemark/mirrors)';

export const mirrorSource: CliCommand<Options> = {
  usage: 'mirror <url> <target>',
  summary:
    'Keeps an exact copy of any ResourceSync source in a folder or a bucket: each call makes the copy equal to the source.',
  examples: [
    ['mirror https://sync.example.org/ copy', 'makes the copy, or syncs it again'],
    ['mirror https://sync.example.org/ copy --set maps', 'copies one of several sets'],
    ['mirror https://sync.example.org/ copy --follow', 'keeps the copy in sync until Ctrl-C'],
    ['mirror https://sync.example.org/ copy --audit --rehash', 'compares every byte of the copy, and fetches nothing'],
    ['mirror https://sync.example.org/ s3://bucket/prefix', 'makes the copy in a bucket'],
  ],
  settings: ['s3Timeout'],

  options(command: Command) {
    command
      .option(
        '--set <set>',
        'which set, when the source has several: a part of the path of its Capability List, or its URL',
      )
      .option('--follow', 'keep the copy in sync until Ctrl-C: by the stream of changes of the source, else by polling')
      .option('--interval <duration>', 'how long to wait between two polls, such as 30s (default: 30s)', interval)
      .addOption(
        new Option(
          '--audit',
          'compare the whole copy with the lists, and fetch nothing; exit code 1 on a difference',
        ).conflicts(['follow', 'compare']),
      )
      .option('--rehash', 'with --audit, also hash all files')
      .option('--compare', 'compare the copy with the whole Resource List, also where the changes suffice')
      .option('--adopt', 'take over files that are in the target already: those that are right are not fetched')
      .option('--keep-deleted', 'keep the files of deleted resources, below .tidemark-mirror-deleted')
      .option('--state <folder>', STATE_HELP)
      .option('--no-dump', 'fetch each resource alone, also where the source has a Resource Dump')
      .option(
        '--connections <n>',
        `how many resources to fetch from a host at the same time (default: ${CONNECTIONS})`,
        wholeNumber(1, 64),
      )
      .option('--rate <n>', 'how many requests a second to send at most', wholeNumber(1, 100_000))
      .option('--allow-host <host>', 'another host to follow redirects to; may be given several times', collect)
      .option('--from-contact <address>', 'an address for the owner of the source, in the header User-Agent');
    addCredentialOptions(command);
  },

  async run(call) {
    if (call.options.rehash === true && call.options.audit !== true) {
      const message = '--rehash is a part of an audit: add --audit, or leave it out to mirror';
      throw new TidemarkError('invalid', message);
    }
    armFailpoint(call.loaded.configuration.failpoint);
    return run(call, await placeOf(call, call.args[1]!));
  },
};

export const mirrorStatus: CliCommand<Pick<Options, 'state'>> = {
  group: 'mirror',
  usage: 'status <target>',
  summary: 'Shows what a copy has, and what could not be copied: then the exit code is 1.',
  examples: [
    ['mirror status copy', 'the source, the resources, the last pass, and what failed'],
    ['mirror status s3://bucket/prefix', 'the same of a copy in a bucket that this machine keeps'],
  ],

  options(command: Command) {
    command.option('--state <folder>', STATE_HELP);
  },

  async run(call) {
    const { printMirrorStatus } = await import('./mirror-status.ts');
    return printMirrorStatus(call.terminal, await placeOf(call, call.args[0]!));
  },
};

async function placeOf(call: Call<Pick<Options, 'state'>>, target: string): Promise<MirrorPlace> {
  const { findPlace } = await import('../../../client/mirror/target/find-place.ts');
  const { workingDirectory, options, loaded } = call;
  const { s3TimeoutMs: timeoutMs } = loaded.configuration;
  return findPlace(target, { workingDirectory, stateFolder: options.state, settings: { timeoutMs } });
}

async function run(call: Call<Options>, place: MirrorPlace): Promise<ExitCode> {
  const { openMirror } = await import('../../../client/mirror/open-mirror.ts');
  const { terminal, stopped, options, workingDirectory } = call;
  const bar = startMirrorBar(terminal);
  let mirror: Mirror | undefined;
  try {
    mirror = await openMirror({
      url: parseSourceUrl(call.args[0]!),
      place,
      signal: stopped,
      set: options.set,
      adopt: options.adopt === true,
      keepDeleted: options.keepDeleted === true,
      dump: options.dump !== false,
      connections: options.connections ?? CONNECTIONS,
      rate: options.rate ?? Number.POSITIVE_INFINITY,
      allowedHosts: options.allowHost ?? [],
      contact: options.fromContact,
      ...credentialFiles(options, workingDirectory),
      onProgress: (progress) => bar.show(progress),
      onNotice: (text) => bar.say(text),
      onPause(reason, ms) {
        // A followed source may be unavailable for long: only that, and its return, are reported.
        if (options.follow === true && ms < LONG_PAUSE_MS) return;
        bar.say(`${reason}: asking again in ${plural(Math.ceil(ms / 1000), 'second')}`);
      },
      waitsForSource: options.follow === true,
      onOutage: (outage) => sayOutage(bar, outage),
    });
    if (options.audit === true) return await auditCopy(call, mirror, bar);
    if (options.follow === true) return await followSource(call, mirror, bar);
    const report = await mirror.pass({ compares: options.compare === true });
    bar.end();
    await print(call, mirror, report);
    return report.failed > 0 ? EXIT.failed : EXIT.done;
  } catch (error) {
    // It was stopped while it waited for the source.
    if (options.follow === true && stopped.aborted) return EXIT.done;
    throw error;
  } finally {
    bar.end();
    await mirror?.close();
  }
}

async function auditCopy(call: Call<Options>, mirror: Mirror, bar: MirrorBar): Promise<ExitCode> {
  const report = await mirror.audit(call.options.rehash === true);
  bar.end();
  await call.terminal.print(describeAudit(report), { event: 'audit', ...report });
  return report.count > 0 ? EXIT.failed : EXIT.done;
}

async function followSource(call: Call<Options>, mirror: Mirror, bar: MirrorBar): Promise<ExitCode> {
  const { follow } = await import('../../../client/mirror/follow.ts');
  const { terminal, stopped: signal, options } = call;
  let isFirst = true;
  const onPass = async (report: PassReport) => {
    bar.end();
    if (isFirst || hasChanged(report)) await print(call, mirror, report);
    terminal.closed.throwIfAborted();
    if (isFirst) terminal.say('Following it. Ctrl-C stops; the same command goes on with it later.');
    isFirst = false;
  };
  const { eventReader } = mirror;
  const intervalMs = options.interval ?? INTERVAL_MS;
  await follow(mirror, { eventReader, signal, intervalMs, onPass, onOutage: (outage) => sayOutage(bar, outage) });
  return EXIT.done;
}

function sayOutage(bar: MirrorBar, outage: Outage | undefined): void {
  if (outage === undefined) bar.say('It is back.', { event: 'back' });
  else bar.say(`The ${outage.of} is away: ${outage.reason}. Waiting until it is back.`, { event: 'away', ...outage });
}

const hasChanged = ({ fetched, deleted, adopted, compared }: PassReport): boolean =>
  fetched + deleted + adopted > 0 || compared === 'gap';

async function print({ terminal }: Call<Options>, mirror: Mirror, report: PassReport): Promise<void> {
  const failures = report.failed > 0 ? mirror.failures() : [];
  await terminal.print(describePass(report, failures), { event: 'pass', ...passView(report, failures) });
}
