import { TidemarkError } from '../../../core/errors.ts';
import type { MetadataFormat } from '../../metadata-format.ts';
import type { OaiClient } from './oai-client.ts';
import { readElements } from './read-elements.ts';
import type { RepositoryDescription } from './repository-description.ts';
import { requestUrl } from './request-url.ts';

export interface DescribedRepository {
  readonly description: RepositoryDescription;
  /** Those of the asked sets that it does not have. */
  readonly missingSets: readonly string[];
}

interface Asked {
  readonly baseUrl: string;
  /** The setSpecs to look for. */
  readonly sets: readonly string[];
}

/** The sets that a description keeps. */
const MOST_KEPT_SETS = 10_000;
/** More than any repository has: what lists more of them may have no end. */
const MOST_SETS = 100_000;
const MOST_FORMATS = 1_000;

/**
 * Asks Identify, ListMetadataFormats and ListSets.
 * @throws TidemarkError `invalid` when it is no repository of OAI-PMH; as `OaiClient.read`
 */
export async function describeRepository(
  client: OaiClient,
  { baseUrl, sets: wanted }: Asked,
  signal: AbortSignal,
): Promise<DescribedRepository> {
  const reading = new Description(client, baseUrl, signal);
  const identity = await reading.identify();
  const formats = [...(reading.formats.length > 0 ? reading.formats : await reading.listFormats())];
  const found = identity.isStatic ? undefined : await reading.listSets(wanted);
  const description = { ...identity, formats, ...(found !== undefined && { sets: found.sets }) };
  return { description, missingSets: wanted.filter((spec) => !found?.wanted.has(spec)) };
}

type Fields = Record<string, string>;

class Description {
  readonly #client: OaiClient;
  readonly #baseUrl: string;
  readonly #signal: AbortSignal;
  readonly formats: MetadataFormat[] = [];

  constructor(client: OaiClient, baseUrl: string, signal: AbortSignal) {
    this.#client = client;
    this.#baseUrl = baseUrl;
    this.#signal = signal;
  }

  async identify(): Promise<Omit<RepositoryDescription, 'formats' | 'sets'>> {
    const fields: Fields = {};
    const { errors, isStatic } = await this.#read({ verb: 'Identify' }, (name, text) => {
      fields[name] ??= text;
    });
    const name = fields['Identify/repositoryName'];
    if (errors.length > 0) throw this.#refused(`Identify is answered by ${errors.join(', ')}`);
    if (name === undefined) throw this.#refused('the answer to Identify has no repositoryName');
    const deletions = fields['Identify/deletedRecord'];
    return {
      name: name.slice(0, 500),
      granularity: fields['Identify/granularity']?.includes('hh') ? 'second' : 'day',
      deletions: deletions === 'persistent' || deletions === 'transient' ? deletions : 'no',
      earliest: (fields['Identify/earliestDatestamp'] ?? '').slice(0, 30),
      ...(isStatic && { isStatic: true }),
    };
  }

  async listFormats(): Promise<readonly MetadataFormat[]> {
    const { errors } = await this.#read({ verb: 'ListMetadataFormats' }, () => {});
    if (errors.length > 0) throw this.#refused(`ListMetadataFormats is answered by ${errors.join(', ')}`);
    return this.formats;
  }

  /** Undefined when the repository has no sets. Memory does not grow with their number. */
  async listSets(
    wanted: readonly string[],
  ): Promise<{ readonly sets: { spec: string; name: string }[]; readonly wanted: ReadonlySet<string> } | undefined> {
    const sets: { spec: string; name: string }[] = [];
    const found = new Set<string>();
    let [count, spec, token]: [number, string, string | undefined] = [0, '', undefined];
    const isWanted = new Set(wanted);
    do {
      const before: string | undefined = token;
      const countBefore = count;
      token = undefined;
      const asked = { verb: 'ListSets', ...(before !== undefined && { resumptionToken: before }) };
      const { errors } = await this.#read(asked, (name, text) => {
        if (name === 'ListSets/resumptionToken' && text !== '') token = text;
        if (name === 'ListSets/set/setSpec') {
          spec = text;
          if (++count >= MOST_SETS) throw this.#refused('it has 100,000 sets or more, which are too many');
          if (isWanted.has(spec)) found.add(spec);
        }
        if (name === 'ListSets/set/setName' && sets.length < MOST_KEPT_SETS)
          sets.push({ spec: spec.slice(0, 1_000), name: text.slice(0, 500) });
      });
      // Many repositories without sets say so by another error; sets that are asked for are then missing.
      if (errors.length > 0) return undefined;
      if (token !== undefined && (token === before || count === countBefore))
        throw this.#refused('its list of sets does not end');
    } while (token !== undefined);
    return { sets, wanted: found };
  }

  /** Returns the errors of the answer; formats are gathered whatever was asked: a static repository has all at once. */
  async #read(
    query: Readonly<Record<string, string>>,
    take: (path: string, text: string) => void,
  ): Promise<{ readonly errors: readonly string[]; readonly isStatic: boolean }> {
    const errors: string[] = [];
    let format: Fields = {};
    const url = requestUrl(this.#baseUrl, query);
    this.formats.length = 0;
    const { isStatic } = await this.#client.read(url, this.#signal, (chunks) =>
      readElements(chunks, ({ path, text, attributes }) => {
        if (path === 'error') errors.push(`${attributes.code ?? 'an error'}: ${text.slice(0, 500)}`);
        const [, field] = /^ListMetadataFormats\/metadataFormat\/(.+)$/.exec(path) ?? [];
        if (field !== undefined) format = this.#addToFormat(format, field, text);
        take(path, text);
      }),
    );
    return { errors, isStatic };
  }

  /** The elements of a format come in the order of OAI-PMH.xsd: prefix, schema, namespace. */
  #addToFormat(before: Fields, field: string, text: string): Fields {
    const format = field === 'metadataPrefix' ? { metadataPrefix: text } : { ...before, [field]: text };
    const { metadataPrefix: prefix, schema = '', metadataNamespace: namespace } = format as Fields;
    if (field === 'metadataNamespace' && prefix && namespace && this.formats.length < MOST_FORMATS)
      this.formats.push({ prefix, namespace, schema });
    return format;
  }

  #refused(message: string): TidemarkError {
    const text = `${this.#baseUrl} cannot be harvested: ${message}`;
    return new TidemarkError('invalid', text, { field: 'baseUrl' });
  }
}
