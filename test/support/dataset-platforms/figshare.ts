import { type ServedDataset, type ServedFile, type ServedVersion, statedOf } from './simulated-dataset.ts';

/** How many files an article lists itself; all of them are at `…/files`. */
const FILES_OF_AN_ARTICLE = 10;

/** The reply about an article: `/v2/articles/ID`, and `/v2/articles/ID/versions/N`. */
export function figshareReply({ id, title }: ServedDataset, { version, files }: ServedVersion, url: string): unknown {
  return {
    id: Number(id),
    title,
    doi: `10.6084/m9.figshare.${id}.v${version}`,
    handle: '',
    url: `${url}/v2/articles/${id}/versions/${version}`,
    url_public_html: `${url}/articles/dataset/a_title/${id}/${version}`,
    published_date: '2020-01-02T03:04:05Z',
    description: '<p>A dataset of a test</p>',
    defined_type: 3,
    defined_type_name: 'dataset',
    is_public: true,
    is_embargoed: false,
    is_confidential: false,
    is_metadata_record: false,
    download_disabled: false,
    embargo_date: null,
    version: Number(version),
    license: { value: 1, name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
    authors: [{ id: 1, full_name: 'Marie Curie', is_active: true, url_name: '_', orcid_id: '' }],
    files: files.slice(0, FILES_OF_AN_ARTICLE).map(fileOf),
    folder_structure: Object.fromEntries(
      files.filter(({ name }) => name.includes('/')).map(({ name, number }) => [number, folderOf(name)]),
    ),
  };
}

/** A page of `/v2/articles/ID/versions/N/files`. */
export function figshareFilesReply({ files }: ServedVersion, query: URLSearchParams): unknown {
  const size = Number(query.get('page_size') ?? 10);
  const start = (Number(query.get('page') ?? 1) - 1) * size;
  return files.slice(start, start + size).map(fileOf);
}

function fileOf(file: ServedFile): unknown {
  const { size, md5 } = statedOf(file);
  return {
    id: file.number,
    name: file.name.slice(file.name.lastIndexOf('/') + 1),
    size,
    is_link_only: false,
    download_url: `https://ndownloader.figshare.com/files/${file.number}`,
    supplied_md5: md5,
    computed_md5: md5,
    mimetype: file.mimetype,
  };
}

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/'));
