import { randomUUID } from 'node:crypto';
import type { App } from '../../app.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { CheckedPieces } from '../../nsdl/check-pieces.ts';
import type { Nsdl, NsdlLook, NsdlStatus } from '../../nsdl/nsdl.ts';
import type { Refusal } from '../../nsdl/refusals.ts';
import type { TakenTrigger } from '../../nsdl/take-triggers.ts';
import { RUN_TYPES, type RunType } from '../../nsdl/trigger-file.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { oneOf } from '../options.ts';
import { formatTable, plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

const SETTINGS = ['nsdlFolder', 'nsdlMessage', 'nsdlIngestRate', 'nsdlPiecesTimeout', 'harvestNetworks'] as const;

export const nsdlLook: CliCommand = {
  group: 'nsdl',
  usage: 'look',
  summary: "Takes trigger files and dbInsert files from NSDL's folders now. A server, or work, then harvests.",
  examples: [['nsdl look --nsdl-folder /usr/local/ingest', 'takes what is in its folders']],
  settings: SETTINGS,

  async run(call) {
    const look = await withExistingApp(call, (app) => nsdlOf(app).look());
    await call.terminal.print(describeLook(look), look);
    const isRefused = look.triggers.some(isRefusedTrigger) || look.pieces.some(({ outcome }) => 'refused' in outcome);
    return isRefused ? EXIT.failed : EXIT.done;
  },
};

interface TriggerOptions {
  readonly runType: RunType;
}

export const nsdlTrigger: CliCommand<TriggerOptions> = {
  group: 'nsdl',
  usage: 'trigger <collection>',
  summary: 'Writes a trigger file for a collection, as its schedules do.',
  examples: [['nsdl trigger arxiv --run-type full_reharvest', 'has it harvested whole, soon']],
  settings: ['nsdlFolder'],

  options(command) {
    command.option('--run-type <type>', RUN_TYPES.join(', '), oneOf(...RUN_TYPES), 'incremental_harvest');
  },

  async run(call) {
    const [collection = ''] = call.args;
    const uuid = randomUUID();
    const file = await withExistingApp(call, (app) =>
      nsdlOf(app).writeTrigger(collection, call.options.runType, { time: Date.now(), uuid }),
    );
    await call.terminal.print(`Wrote ${file}: it is taken within ten minutes, or by "tidemark nsdl look".`, {
      file,
      uuid,
    });
    return EXIT.done;
  },
};

export const nsdlStatus: CliCommand = {
  group: 'nsdl',
  usage: 'status',
  summary: "Shows how many files are in NSDL's folders, and what was refused.",
  examples: [['nsdl status', 'shows the folders, and the newest refusals']],
  settings: ['nsdlFolder'],

  async run(call) {
    const status = await withExistingApp(call, (app) => nsdlOf(app).status());
    await call.terminal.print(describeStatus(status), status);
    return EXIT.done;
  },
};

/** @throws TidemarkError `invalid` */
function nsdlOf({ nsdl }: Pick<App, 'nsdl'>): Nsdl {
  if (nsdl !== undefined) return nsdl;
  throw new TidemarkError('invalid', 'there is no folder of NSDL: name it with --nsdl-folder, or TIDEMARK_NSDL_FOLDER');
}

const isRefusedTrigger = (taken: TakenTrigger): boolean => 'refused' in taken;

function describeLook({ triggers, pieces, dispatched }: NsdlLook): string {
  const lines = [...triggers.map(triggerLine), ...pieces.map(piecesLine)];
  if (dispatched > 0) lines.push(`The ingest of ${plural(dispatched, 'piece')} is queued.`);
  return lines.length === 0 ? 'There is nothing new.' : lines.join('\n');
}

function triggerLine(taken: TakenTrigger): string {
  if ('refused' in taken) return `${taken.file}: refused, status 4: ${taken.refused}`;
  if ('waits' in taken) return `${taken.file}: waits: ${taken.waits}`;
  return `${taken.file}: run ${taken.run} of ${taken.collection}, ${taken.runType}`;
}

function piecesLine({ uuid, there, pieces, outcome }: CheckedPieces): string {
  if ('ready' in outcome) return `${uuid}: ${plural(pieces, 'piece')} are ready`;
  if ('refused' in outcome) return `${uuid}: refused, status 4: ${outcome.refused}`;
  return `${uuid}: waits with ${there} of ${plural(pieces, 'piece')}: ${outcome.waits}`;
}

const TITLES: readonly (readonly [keyof NsdlStatus['files'], string])[] = [
  ['triggers', 'trigger files to be taken'],
  ['failedTriggers', 'trigger files that were refused'],
  ['newPieces', 'pieces to be checked'],
  ['readyPieces', 'pieces to be ingested'],
  ['donePieces', 'pieces that were ingested'],
  ['failedPieces', 'pieces that were refused'],
];

function describeStatus({ folder, files, refusals }: NsdlStatus): string {
  const counts = TITLES.map(([place, title]) => `${String(files[place]).padStart(8)} ${title}`);
  const rows = refusals.map((one) => [
    new Date(one.at).toISOString().slice(0, 19),
    one.file,
    messageOf(one),
    one.reason,
  ]);
  const table = formatTable(['REFUSED (UTC)', 'FILE', 'MESSAGE', 'REASON'], rows);
  return [folder, ...counts, ...(rows.length === 0 ? [] : [table])].join('\n');
}

function messageOf({ message }: Refusal): string {
  if (message === undefined) return 'none';
  return message.accepted === undefined ? `not accepted: ${message.problem ?? 'not sent yet'}` : 'accepted';
}
