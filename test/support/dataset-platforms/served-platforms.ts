import {
  md5Of,
  type ServedDataset,
  type ServedFile,
  type StandInDataset,
  type StandInFile,
} from './simulated-dataset.ts';

/** The datasets and files that are served. */
export class ServedPlatforms {
  /** Of the server, without a slash at its end. */
  url = '';
  readonly files = new Map<number, ServedFile>();
  readonly #datasets = new Map<string, ServedDataset>();
  readonly #latest = new Map<string, ServedDataset>();
  readonly #signatures = new Set<string>();
  #last = 100;

  /** Returns the path of its landing page. */
  add(dataset: StandInDataset): string {
    const number = ++this.#last;
    const { platform, version = platform === 'dataverse' ? '1.0' : '1', older = [], files } = dataset;
    const { id = defaultId(platform, number), title = `Dataset ${number}` } = dataset;
    const versions = [{ version, files }, ...older].map((one) => ({
      ...one,
      files: one.files.map((file) =>
        this.addFile({ ...file, isTable: file.isTable === true && platform === 'dataverse' }),
      ),
    }));
    const concept = dataset.concept ?? (platform === 'inveniordm' ? `conce-${number}` : String(number + 50_000));
    const served = { ...dataset, number, id, version, versions, concept, title };
    this.#datasets.set(`${familyOf(platform)} ${id}`, served);
    this.#latest.set(concept, served);
    return landingPath(platform, id);
  }

  addFile(file: StandInFile): ServedFile {
    const { name, size = 1000, mimetype = 'application/octet-stream' } = file;
    const number = ++this.#last;
    const served = { ...file, number, size, mimetype, md5: md5Of(name, size), served: 0 };
    this.files.set(number, served);
    return served;
  }

  find(family: Family, id: string | null | undefined): ServedDataset | undefined {
    return this.#datasets.get(`${family} ${id}`);
  }

  /** The dataset that was added last with a concept. */
  latestOf(concept: string): ServedDataset | undefined {
    return this.#latest.get(concept);
  }

  /** A signature of a URL of the storage: valid once. */
  sign(): string {
    const signature = `s${++this.#last}`;
    this.#signatures.add(signature);
    return signature;
  }

  isSigned(signature: string | null): boolean {
    return this.#signatures.delete(signature ?? '');
  }
}

type Family = Exclude<StandInDataset['platform'], 'inveniordm'>;

const familyOf = (platform: StandInDataset['platform']): Family => (platform === 'inveniordm' ? 'zenodo' : platform);

function defaultId(platform: StandInDataset['platform'], number: number): string {
  switch (platform) {
    case 'dataverse':
      return `doi:10.5072/FK2/D${number}`;
    case 'inveniordm':
      return `abcde-${String(number).padStart(5, '0')}`;
    case 'archiveorg':
      return `example-item-${number}`;
    default:
      return String(number);
  }
}

function landingPath(platform: StandInDataset['platform'], id: string): string {
  switch (platform) {
    case 'dataverse':
      return `/dataset.xhtml?persistentId=${id}`;
    case 'figshare':
      return `/articles/dataset/a_title/${id}`;
    case 'archiveorg':
      return `/details/${id}`;
    default:
      return `/records/${id}`;
  }
}
