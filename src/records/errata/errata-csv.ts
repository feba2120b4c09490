import type { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, csvRow } from '../../lib/csv.ts';
import { ERRATUM_COLUMNS, type Erratum } from './erratum.ts';
import { eachErratum } from './read-errata.ts';

/** A file of errata as CSV for spreadsheets, with the names of the columns first. */
export async function* errataAsCsv(body: Readable): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvRow(ERRATUM_COLUMNS);
  for await (const erratum of eachErratum(body)) yield csvOf(erratum);
}

/** An erratum as a row: the names of packages and files are joined by ` > `. */
function csvOf(erratum: Erratum): string {
  return csvRow(
    ERRATUM_COLUMNS.map((name) => {
      if (name === 'path') return erratum.path?.join(' > ');
      return name === 'warning' ? erratum.warning && 'true' : erratum[name];
    }),
  );
}
