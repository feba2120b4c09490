import { INGEST_PIECE } from '../../nsdl/dispatch-pieces.ts';
import { defineJob } from '../job-definition.ts';

/** Ingests one dbInsert file of NSDL. */
export const ingestPieceJob = defineJob<{ readonly name: string }>({
  kind: INGEST_PIECE,
  retry: { attempts: 5, firstMs: 5_000, longestMs: 60_000 },
  isNumerous: true,

  run: async ({ name }, { nsdl }) => (await nsdl?.ingest(name)) ?? {},
});
