import type { RecordOf, SchemaId } from '../../../artifacts/avro/avro-schemas.ts';
import { readContainer } from '../../../artifacts/avro/container-reader.ts';
import { ARTIFACT_SETTINGS, withArtifacts } from '../../artifact-output.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { findAvroFile } from '../../named-avro-file.ts';
import { wholeNumber } from '../../options.ts';
import { printable } from '../../ui/printable.ts';

interface Options {
  readonly limit?: number;
}

type AnyRecord = RecordOf[SchemaId];

export const artifactsCat: CliCommand<Options> = {
  group: 'artifacts',
  usage: 'cat <file>',
  summary:
    'Prints the records of an Avro file, by its key or the path of a copy: for people, or with --json one on a line.',
  examples: [['artifacts cat cdl.avro --limit 10', 'prints ten records as JSON']],
  settings: ARTIFACT_SETTINGS,

  options(command) {
    command.option('--limit <n>', 'stop after so many', wholeNumber(1, 1_000_000_000));
  },

  async run(call) {
    const { terminal, args, options, stopped, workingDirectory } = call;
    const format = terminal.json ? toJsonLine : toText;
    await withArtifacts(call, async (store) => {
      const { name, schema, open } = await findAvroFile(store, args[0]!, workingDirectory);
      const body = await open(stopped);
      let left = options.limit ?? Number.POSITIVE_INFINITY;
      for await (const { records } of readContainer(body, { schema, name })) {
        await terminal.write(records.slice(0, left).map(format).join(''));
        left -= records.length;
        if (left <= 0) break;
      }
    });
    return EXIT.done;
  },
};

/** Formats a record as a harvest reads it, if it has a document. */
function toJsonLine(record: AnyRecord): string {
  return `${JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n`;
}

function toText(record: AnyRecord): string {
  if (!('id' in record) || !('document' in record)) return toJsonLine(record);
  const type = 'mimetype' in record ? ` (${record.mimetype})` : '';
  return printable(`== ${record.id}${type}\n${record.document}${record.document.endsWith('\n') ? '' : '\n'}`);
}
