import type { RecordForm } from '../record-form.ts';

/** Lists of the ids of records to delete, one a line, of records in any form. */
export const deletionLists: RecordForm = {
  title: 'ids to delete',
  isLastResort: true,
  fileKinds: [
    {
      name: 'deleted-ids',
      title: 'ids to delete',
      unit: 'line',
      async *read(chunks) {
        const { readDeletedIds } = await import('./deleted-ids.ts');
        yield* readDeletedIds(chunks);
      },
      async readFaulty(bytes) {
        const { readFaultyLine } = await import('../../readable/readable-xml.ts');
        return readFaultyLine(bytes);
      },
    },
  ],

  async identify(file) {
    const { identifyText } = await import('./identify-text.ts');
    return identifyText(file);
  },
};
