import { capabilityOf, each, everyElement, type Rule, wrong } from './source.ts';

const PATCH = 'http://www.openarchives.org/rs/terms/patch';

/** Section M of the rules: links to related resources, as far as the publisher has a part in them. */
export const RELATED: Readonly<Record<number, Rule>> = {
  101: each((document) =>
    everyElement(document.root)
      .filter(({ attributes }) => attributes.rel === PATCH)
      .flatMap(({ attributes: { href, type } }) => [
        ...wrong(type === undefined, `the patch ${href} has no type`),
        ...wrong(capabilityOf(document) !== 'changelist', `the patch ${href} belongs to no change`),
      ]),
  ),
  103: each(({ root }) =>
    everyElement(root)
      .filter(({ attributes }) => attributes.rel === 'timegate' && Object.keys(attributes).length > 2)
      .map(({ attributes: { href } }) => `the timegate ${href} has other attributes`),
  ),
};
