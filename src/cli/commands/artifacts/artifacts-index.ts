import type { SchemaId } from '../../../artifacts/avro/avro-schemas.ts';
import { requireArtifact } from '../../../artifacts/require-artifact.ts';
import { intoLocation } from '../../../config/import-location.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { IndexingOutcome } from '../../../records/activities/index-artifact/index-artifact.ts';
import { ARTIFACT_SETTINGS, keyOf, parseSchema, withArtifacts } from '../../artifact-output.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { startActivityBar } from '../../ui/activity-bar.ts';
import { plural } from '../../ui/table.ts';

interface Options {
  readonly into?: string;
  readonly as?: SchemaId;
}

export const artifactsIndex: CliCommand<Options> = {
  group: 'artifacts',
  usage: 'index <key>',
  summary: 'Writes the documents of an IndexRecord file into an index of Elasticsearch, and switches an alias to it.',
  examples: [
    [
      'artifacts index cdl/indexing/20170214/20170214_151848-cdl-MAP.3_1.IndexRecord.v1.avro --into http://localhost:9200/items',
      'indexes its records',
    ],
  ],
  settings: [...ARTIFACT_SETTINGS, 'intoCa'],

  options(command) {
    command
      .option('--into <url/index>', 'the server and the alias, such as http://localhost:9200/items')
      .option('--as <schema>', 'refuse a file of any other schema, such as MAP.3_1.IndexRecord.v1', parseSchema);
  },

  async run(call) {
    const { terminal, args, options, stopped, loaded } = call;
    const location = intoLocation(options.into, loaded.indexing);
    // Loaded only now: it loads the client of Elasticsearch.
    const { indexArtifact } = await import('../../../records/activities/index-artifact/index-artifact.ts');
    return withArtifacts(call, async (store) => {
      const artifact = await requireArtifact(store, keyOf(store, args[0]!));
      const bar = startActivityBar(terminal);
      try {
        const outcome = await indexArtifact({
          store,
          artifact,
          location,
          schema: options.as,
          signal: stopped,
          onProgress: (attempted, done) => bar.update({ step: 'reading', attempted, done, total: artifact.length }),
        });
        bar.end();
        await terminal.print(describe(outcome), outcome);
        return outcome.switched ? EXIT.done : EXIT.failed;
      } finally {
        bar.end();
      }
    });
  },
};

function describe(outcome: IndexingOutcome): string {
  const { alias, index, records, documents, longIds, refused, switched, known, former } = outcome;
  if (known) return `${alias} has ${index} already: ${plural(documents, 'document')}`;
  const lines = refused.first.map(({ id, reason }) => `${id}: refused: ${reason}`);
  const more = refused.total - refused.first.length;
  if (more > 0) lines.push(`… and ${formatCount(more)} more`);
  if (longIds > 0) {
    const ids = plural(longIds, 'id has', 'ids have');
    lines.push(`${ids} more than 512 bytes: the _id of such a document is "sha-256:" and the SHA-256 of the id.`);
  }
  const counts = `${index}: ${plural(documents, 'document')} of ${plural(records, 'record')}`;
  if (switched) {
    lines.push(`${counts}. ${alias} names it now.`, ...former.map((name) => `${name} is not in ${alias} any more.`));
    return lines.join('\n');
  }
  const why = refused.total > 0 ? `${formatCount(refused.total)} refused` : 'ids come twice, or others write there';
  return [...lines, `${counts} (${why}). It is not complete, so ${alias} does not name it.`].join('\n');
}
