import type { JobDefinition } from './job-definition.ts';
import { archiveLog } from './kinds/archive-log.ts';
import { backUpStore } from './kinds/back-up-store.ts';
import { buildDump } from './kinds/build-dump.ts';
import { buildStreamDump } from './kinds/build-stream-dump.ts';
import { cleanUpResumableUploads } from './kinds/clean-up-resumable-uploads.ts';
import { cleanUpStreams } from './kinds/clean-up-streams.ts';
import { harvestJob } from './kinds/harvest.ts';
import { ingestDataset } from './kinds/ingest-dataset.ts';
import { ingestPieceJob } from './kinds/ingest-piece.ts';
import { keepList } from './kinds/keep-list.ts';
import { lookAtNsdl } from './kinds/look-at-nsdl.ts';
import { processUpload } from './kinds/process-upload.ts';
import { pruneVersions } from './kinds/prune-versions.ts';
import { removeAbandonedUploads } from './kinds/remove-abandoned-uploads.ts';
import { removeEndedJobs } from './kinds/remove-ended-jobs.ts';
import { removeOldPackages } from './kinds/remove-old-packages.ts';
import { removeUnfinishedArtifacts } from './kinds/remove-unfinished-artifacts.ts';
import { removeUnusedDatasets } from './kinds/remove-unused-datasets.ts';
import { removeUnusedLists } from './kinds/remove-unused-lists.ts';
import { removeUnusedStreamDumps } from './kinds/remove-unused-stream-dumps.ts';
import { runActivityJob } from './kinds/run-activity.ts';
import { sendDatasetResults } from './kinds/send-dataset-results.ts';
import { sendHarvestMessage } from './kinds/send-harvest-message.ts';
import { sendUploadMessage } from './kinds/send-upload-message.ts';
import { verifyArtifacts } from './kinds/verify-artifacts.ts';
import { writeNsdlTrigger } from './kinds/write-nsdl-trigger.ts';

/** Every kind of job. */
export const JOB_DEFINITIONS: readonly JobDefinition[] = [
  archiveLog,
  backUpStore,
  buildDump,
  buildStreamDump,
  harvestJob,
  ingestDataset,
  keepList,
  processUpload,
  pruneVersions,
  removeAbandonedUploads,
  cleanUpResumableUploads,
  cleanUpStreams,
  removeEndedJobs,
  removeOldPackages,
  removeUnusedDatasets,
  removeUnusedLists,
  removeUnusedStreamDumps,
  removeUnfinishedArtifacts,
  runActivityJob,
  sendDatasetResults,
  sendHarvestMessage,
  sendUploadMessage,
  verifyArtifacts,
  lookAtNsdl,
  ingestPieceJob,
  writeNsdlTrigger,
];
