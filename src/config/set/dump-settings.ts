import * as z from 'zod';
import { DEFAULT_PACKAGE_BYTES, DUMP_COMPRESSIONS } from '../../core/resource-set.ts';
import {
  ADD_AND_CHANGE,
  ALL,
  cronPattern,
  numberOf,
  one,
  refuseWithRecords,
  requireOriginWithBytes,
  requireVersions,
  schedule,
  setting,
  VERSION_FLAGS,
} from './set-setting.ts';

const aNumberOfBytes = 'use a whole number of bytes, 1 or more';
const bytes = z.int(aNumberOfBytes).min(1, aNumberOfBytes);
const compression = z.enum(DUMP_COMPRESSIONS, `use ${DUMP_COMPRESSIONS.join(' or ')}`);
const days = z.int('use a whole number of days').min(1, 'use 1 day or more').max(100_000, 'at most 100000 days');

/** The settings of a set for its dumps, its archives and its kept versions. */
export const DUMP_SETTINGS = {
  dumpPackageBytes: setting({
    field: 'dumpPackageBytes',
    schema: bytes,
    meaning: 'Most bytes of a package of its Resource Dump; a page that needs more is packed into several.',
    default: String(DEFAULT_PACKAGE_BYTES),
    givenTo: ALL,
    flags: [one('--dump-package-bytes <number>', bytes, numberOf)],
    check: (_bytes, origin) => requireOriginWithBytes('--dump-package-bytes', origin),
    sample: 1,
  }),
  dumpCompression: setting({
    field: 'dumpCompression',
    schema: compression,
    meaning: 'How packages of its dump are compressed: `by-type` deflates texts and stores images, `none` stores all.',
    default: DUMP_COMPRESSIONS[0],
    givenTo: ALL,
    flags: [one('--dump-compression <kind>', compression)],
    check: (_kind, origin) => requireOriginWithBytes('--dump-compression', origin),
    sample: 'none',
  }),
  dumpSchedule: setting({
    field: 'dumpSchedule',
    schema: cronPattern,
    meaning:
      'When its Resource Dump is built: minute, hour, day of the month, month, day of the week, such as `0 3 * * *` for every night at 3:00.',
    default: '(none)',
    givenTo: ALL,
    flags: [schedule('--dump <cron>')],
    check: (_pattern, origin) => requireOriginWithBytes('--dump', origin),
    sample: '0 3 * * *',
  }),
  archiveSchedule: setting({
    field: 'archiveSchedule',
    schema: cronPattern,
    meaning: 'When its Resource List is kept in an archive, such as `0 2 1 * *` for the first of every month at 2:00.',
    default: '(none)',
    // `publish` has a setting of the server of this name.
    givenTo: ADD_AND_CHANGE,
    flags: [schedule('--archive <cron>')],
  }),
  archiveDays: setting({
    field: 'archiveDays',
    schema: days,
    meaning: 'Days after which a list is removed from the archive, when the next one is kept.',
    default: '(never)',
    givenTo: ADD_AND_CHANGE,
    flags: [one('--archive-days <number>', days, numberOf)],
  }),
  keepVersions: setting({
    field: 'keepVersions',
    schema: z.boolean(),
    meaning: 'Whether the bytes of every version are kept and published (docs/dumps.md).',
    default: 'false',
    givenTo: ALL,
    flags: VERSION_FLAGS,
    check: (isKept, origin) => isKept && requireVersions('--keep-versions', origin),
    sample: true,
  }),
  versionsDays: setting({
    field: 'versionsDays',
    schema: days,
    meaning: 'Days after which a version that was replaced or deleted is removed, every night.',
    default: '(never)',
    givenTo: ALL,
    flags: [one('--versions-days <number>', days, numberOf)],
    check(_days, origin) {
      requireVersions('--versions-days', origin);
      refuseWithRecords('--versions-days', origin);
    },
    sample: 1,
  }),
} as const;
