import * as z from 'zod';
import { optionalText, statedCount } from '../parse-reply.ts';

const dataFile = z.object({
  id: z.int(),
  persistentId: optionalText,
  filename: z.string(),
  contentType: optionalText,
  filesize: statedCount,
  md5: optionalText,
  checksum: z.object({ type: z.string(), value: z.string() }).nullish(),
  description: optionalText,
  restricted: z.boolean().nullish(),
  originalFileFormat: optionalText,
  originalFileName: optionalText,
  originalFileSize: statedCount.nullish(),
  embargo: z.object({ dateAvailable: optionalText }).nullish(),
  retention: z.object({ dateUnavailable: optionalText }).nullish(),
});

const file = z.object({
  label: optionalText,
  description: optionalText,
  restricted: z.boolean().nullish(),
  directoryLabel: optionalText,
  version: z.int().nullish(),
  dataFile,
});

const version = z.object({
  datasetPersistentId: optionalText,
  versionNumber: statedCount.nullish(),
  versionMinorNumber: statedCount.nullish(),
  versionState: optionalText,
  deaccessionNote: optionalText,
  releaseTime: optionalText,
  // A name in old replies.
  license: z
    .union([z.string(), z.object({ name: optionalText, uri: optionalText })], 'use a text or an object')
    .nullish(),
  metadataBlocks: z.unknown().optional(),
  files: z.array(file).nullish(),
});

/** The reply about a dataset (Dataverse native API). */
export const datasetReply = z.object({
  data: z.object({
    id: z.int(),
    protocol: optionalText,
    authority: optionalText,
    identifier: optionalText,
    latestVersion: version,
  }),
});

/** The reply about a version of it. */
export const versionReply = z.object({ data: version });

export type DataverseFile = z.output<typeof file>;
export type DataverseVersion = z.output<typeof version>;
export type DataverseDataset = z.output<typeof datasetReply>['data'];
