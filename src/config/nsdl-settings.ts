import { resolve } from 'node:path';
import { setting, WORKERS } from './setting.ts';
import * as values from './setting-values.ts';

/** Settings of NSDL's folders: docs/nsdl.md. */
export const NSDL_SETTINGS = {
  nsdlFolder: setting({
    variable: 'TIDEMARK_NSDL_FOLDER',
    flag: '--nsdl-folder <folder>',
    takenBy: WORKERS,
    schema: values.path,
    locate: (path, folder) => resolve(folder, path),
    default: '(none)',
    meaning:
      "The folder of NSDL's `watched_folders` and `ingest`, through which collections with a handle are then harvested. The same for all processes of a store. See `docs/nsdl.md`.",
  }),
  nsdlMessage: setting({
    variable: 'TIDEMARK_NSDL_MESSAGE',
    flag: '--nsdl-message <url>',
    takenBy: WORKERS,
    schema: values.webUrl,
    default: '(none)',
    meaning:
      'The URL that gets the end of a trigger file or of pieces that are refused before a harvest begins, with `status`, `uuid` and `ts`, when the collection is unknown or has no `--message`.',
  }),
  nsdlPieceItems: setting({
    variable: 'TIDEMARK_NSDL_PIECE_ITEMS',
    flag: '--nsdl-piece-items <number>',
    takenBy: WORKERS,
    schema: values.pieceItems,
    default: '200',
    meaning: 'Records in a dbInsert file, from 1 to 100000.',
  }),
  nsdlIngestRate: setting({
    variable: 'TIDEMARK_NSDL_INGEST_RATE',
    flag: '--nsdl-ingest-rate <number>',
    takenBy: WORKERS,
    schema: values.ingestRate,
    default: '600',
    meaning: 'dbInsert files whose ingest begins within a minute, from 1 to 60000.',
  }),
  nsdlPiecesTimeout: setting({
    variable: 'TIDEMARK_NSDL_PIECES_TIMEOUT',
    field: 'nsdlPiecesTimeoutMs',
    flag: '--nsdl-pieces-timeout <duration>',
    takenBy: WORKERS,
    schema: values.duration,
    default: '24h',
    meaning:
      'How long dbInsert files wait for the others of their harvest, counted from the newest one, with `ms`, `s`, `m` or `h`. Then the harvest has failed.',
  }),
} as const;
