import { PATCH_RELATION } from '../../../core/link-relations.ts';
import { capabilityOf, type Entry, isIndex } from '../../read/document.ts';
import { lesser, ofEntries, type Problems, type Rules, wrong } from './rule.ts';

const WITH_CHANGES = ['changelist', 'changedump-manifest'];
const WITH_LINKS = ['resourcelist', 'resourcedump-manifest', ...WITH_CHANGES];
const OF_RESOURCES = new Set([
  ...['duplicate', 'alternate', 'canonical', 'memento', 'timegate', 'timemap', 'collection', 'via', PATCH_RELATION],
]);
const NONE: Problems = [];

/** Makes a rule about the links with a relation, in entries of lists and manifests. */
const ofLinks = (rel: string, check: (link: Readonly<Record<string, string>>, entry: Entry) => Problems) =>
  ofEntries(WITH_LINKS, (entry) => {
    if (entry.extensions.length < 2 && entry.extensions[0]?.name !== 'rs:ln') return NONE;
    return entry.extensions.flatMap(({ name, attributes }) =>
      name === 'rs:ln' && attributes.rel === rel ? check(attributes, entry) : NONE,
    );
  });

const leadsToItself = (rel: string, { href }: Readonly<Record<string, string>>, { loc }: Entry) =>
  wrong(href === loc, () => `the link with rel ${rel} leads to the resource itself`);

const isElsewhere = (rel: string) => ofLinks(rel, (link, entry) => leadsToItself(rel, link, entry));

const OF_SAME_BYTES = ['hash', 'length', 'type'] as const;

/** ResourceSync 1.1, 14.2: a duplicate has the attributes of the resource, so they should be left out. */
const repeats = (link: Readonly<Record<string, string>>, { md }: Entry): Problems =>
  OF_SAME_BYTES.flatMap((name) =>
    lesser(
      link[name] !== undefined && md[name] !== undefined,
      'SHOULD',
      () =>
        `the duplicate ${link.href} ${link[name] === md[name] ? 'repeats' : 'contradicts'} the ${name} of the entry`,
    ),
  );

/** Section M of the rules: links to related resources. */
export const RELATED: Rules = {
  98: ofLinks('duplicate', (link, entry) => [...leadsToItself('duplicate', link, entry), ...repeats(link, entry)]),
  99: ofLinks('alternate', ({ href, type }) => wrong(type === undefined, () => `the alternate ${href} has no type`)),
  100: isElsewhere('canonical'),
  101: {
    extension: ({ attributes: { rel, href, type, path } }, document) => {
      if (rel !== PATCH_RELATION) return NONE;
      const capability = capabilityOf(document);
      return [
        ...wrong(type === undefined, () => `the patch ${href} has no type`),
        ...wrong(!WITH_CHANGES.includes(capability), () => `the patch ${href} belongs to no change`),
        ...wrong(capability === 'changedump-manifest' && path === undefined, () => `the patch ${href} has no path`),
      ];
    },
  },
  102: {
    // Another set of the source may list it.
    source: ({ unlisted, hasOtherSets }) =>
      hasOtherSets ? unlisted.map((problem) => ({ ...problem, level: 'SHOULD' as const })) : unlisted,
  },
  103: {
    extension: ({ attributes }) =>
      wrong(
        attributes.rel === 'timegate' && Object.keys(attributes).length > 2,
        () => `the timegate ${attributes.href} has other attributes`,
      ),
    ...ofLinks('memento', ({ href, modified }) =>
      wrong(modified === undefined, () => `the memento ${href} has no modified`),
    ),
  },
  104: isElsewhere('collection'),
  105: isElsewhere('via'),
  106: {
    extension: ({ name, attributes: { rel = '' } }, document, entry) =>
      wrong(
        name === 'rs:ln' &&
          OF_RESOURCES.has(rel) &&
          (entry === undefined || isIndex(document) || !WITH_LINKS.includes(capabilityOf(document))),
        () => `a link with rel ${rel} belongs to an entry of a list or a manifest`,
      ),
  },
};
