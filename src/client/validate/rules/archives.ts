import { capabilityOf, isIndex, linksOf } from '../../read/document.ts';
import { at, atEntry, lesser, type Problems, type Rules, wrong } from './rule.ts';
import { areAscending, instantOf } from './times.ts';

const LISTS = ['resourcelist', 'resourcedump', 'changelist', 'changedump'];
const NONE: Problems = [];

const isArchive = (document: Parameters<typeof capabilityOf>[0]) => capabilityOf(document).endsWith('-archive');
const isOfChanges = (capability: string) => capability.startsWith('change');

/** Section N of the rules: archives of lists and dumps. */
export const ARCHIVES: Rules = {
  107: {
    document: (document) =>
      capabilityOf(document) === 'capabilitylist'
        ? document.entries
            .filter(({ md: { capability = '' } }) => capability.endsWith('-archive'))
            .filter(({ md: { capability = '' } }) => !LISTS.includes(capability.slice(0, -'-archive'.length)))
            .map((entry) => atEntry(document, entry, `there is no archive ${entry.md.capability}`))
        : NONE,
  },
  108: {
    list: ({ capability, capabilityList, head }) => {
      const archive = capabilityList?.entries.find(({ md }) => md.capability === `${capability}-archive`);
      if (archive === undefined || head.failure !== undefined) return NONE;
      return linksOf(head, 'archives').includes(archive.loc)
        ? NONE
        : [at(head, `it has no link with rel archives to ${archive.loc}`)];
    },
  },
  109: {
    document: (document) => {
      if (!isArchive(document)) return NONE;
      const { md } = document;
      return lesser(
        ['at', 'completed', 'from', 'until'].some((name) => md[name] !== undefined),
        'SHOULD',
        () => 'its rs:md has a time',
      );
    },
  },
  110: {
    document: (document) => {
      if (!isArchive(document) || isIndex(document)) return NONE;
      const ofChanges = isOfChanges(capabilityOf(document));
      const times = document.entries.map(({ md }) => (ofChanges ? md.from : md.at));
      return [
        ...document.entries
          .filter(({ md }) => (ofChanges ? md.from === undefined || md.until === undefined : md.at === undefined))
          .map((entry) => atEntry(document, entry, `the entry lacks ${ofChanges ? 'from or until' : 'at'}`)),
        ...wrong(!areAscending(times), () => 'its entries are not in the order of time, oldest first'),
      ];
    },
  },
  111: {
    document: (document, { startedAt }) =>
      isArchive(document)
        ? document.entries
            .filter(({ md }) => instantOf(md.until ?? md.completed ?? md.at) / 1000 > startedAt + 120_000)
            .map((entry) => atEntry(document, entry, 'the document is not finished: its time is in the future'))
        : NONE,
  },
};
