import { type ResourceKey, uriOf } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Representation } from '../../sources/served-source.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import { HttpError } from '../request/http-error.ts';
import { negotiateType } from '../request/negotiate-type.ts';

/** The resource that a path names, and its representation. */
export interface FoundResource {
  readonly key: ResourceKey;
  readonly state: ResourceState;
  /** Undefined where resources have only one. */
  readonly representation?: Representation;
  /** Additional values of the header Link. */
  readonly links: readonly string[];
  /** The header of the request on which the response depends. */
  readonly vary?: string;
}

interface ResourceRequest {
  readonly set: ResourceSet;
  readonly key: ResourceKey;
  /** Those of the resources of the set. */
  readonly representations: readonly Representation[];
  readonly accept: string | undefined;
}

/**
 * Finds a resource by its key. If resources have several representations, the key may also end with the suffix of one;
 * a resource with exactly that key takes precedence. Undefined when there is none.
 * @throws HttpError 406 when the client accepts none of its representations
 */
export async function findResource(
  index: Pick<ResourceStates, 'lookup'>,
  request: ResourceRequest,
): Promise<FoundResource | undefined> {
  const { set, key, representations, accept } = request;
  const suffixed = representations.filter(({ suffix }) => key.endsWith(suffix) && key.length > suffix.length + 1);
  const keys = suffixed.map(({ suffix }) => key.slice(0, -suffix.length));
  const [found, ...bases] = await index.lookup(set.id, [key, ...keys]);
  if (found?.state !== undefined) {
    const own = ofState(representations, found.state);
    if (own.length === 0) return { key, state: found.state, links: [] };
    const links = await linksOf(index, { set, representations: own }, key);
    const representation = negotiateType(accept, own) ?? notAcceptable(own, links);
    return { key, state: found.state, representation, links, vary: 'Accept' };
  }
  const at = bases.findIndex((base, at) => base?.state && ofState([suffixed[at]!], base.state).length > 0);
  const base = bases[at];
  if (base?.state === undefined) return undefined;
  return {
    key: base.key,
    state: base.state,
    representation: suffixed[at]!,
    links: await linksOf(index, { set, representations: ofState(representations, base.state) }, base.key),
  };
}

/** Those of a resource. */
export function ofState(
  representations: readonly Representation[],
  { mime }: ResourceState,
): readonly Representation[] {
  return representations.filter(({ of }) => of === undefined || of === mime);
}

/** Links to the resource, and to its representations, except one whose key belongs to another resource. */
async function linksOf(
  index: Pick<ResourceStates, 'lookup'>,
  { set, representations }: Pick<ResourceRequest, 'set' | 'representations'>,
  key: ResourceKey,
): Promise<readonly string[]> {
  const uri = uriOf(set.urlPrefix, key);
  const others = await index.lookup(
    set.id,
    representations.map(({ suffix }) => key + suffix),
  );
  return [
    `<${uri}>; rel="canonical"`,
    ...representations.flatMap(({ suffix, mime }, at) =>
      others[at]?.state === undefined ? [`<${uri}${suffix}>; rel="alternate"; type="${mime}"`] : [],
    ),
  ];
}

function notAcceptable(representations: readonly Representation[], links: readonly string[]): never {
  const types = representations.map(({ mime }) => mime).join(' or ');
  throw new HttpError(406, {
    code: 'not-acceptable',
    message: `the resource can be read as ${types}: accept one of them, or leave out the header Accept`,
    headers: { Vary: 'Accept', Link: links.join(', ') },
  });
}
