import { type ServedDataset, type ServedFile, statedOf } from './simulated-dataset.ts';

/** As zenodo.org answers at `/api/records/ID`. */
export function zenodoReply(dataset: ServedDataset, url: string): unknown {
  const { id, concept, title, versions } = dataset;
  const self = `${url}/api/records/${id}`;
  return {
    created: '2020-01-02T03:04:05.000000+00:00',
    modified: '2020-01-02T03:04:05.000000+00:00',
    id: Number(id),
    conceptrecid: concept,
    doi: `10.5281/zenodo.${id}`,
    conceptdoi: `10.5281/zenodo.${concept}`,
    doi_url: `https://doi.org/10.5281/zenodo.${id}`,
    metadata: {
      title,
      doi: `10.5281/zenodo.${id}`,
      publication_date: '2020-01-02',
      description: '<p>A dataset of a test</p>',
      access_right: 'open',
      creators: [{ name: 'Curie, Marie', affiliation: null }],
      resource_type: { title: 'Dataset', type: 'dataset' },
      license: { id: 'cc-by-4.0' },
    },
    title,
    links: { self, self_html: `${url}/records/${id}`, files: `${self}/files`, archive: `${self}/files-archive` },
    updated: '2020-01-02T03:04:05.000000+00:00',
    recid: id,
    revision: 4,
    files: versions[0]!.files.map((file) => ({
      id: `0000-${file.number}`,
      key: file.name,
      size: statedOf(file).size,
      checksum: `md5:${statedOf(file).md5}`,
      links: { self: `${self}/files/${encodeURIComponent(file.name)}/content` },
    })),
    status: 'published',
    state: 'done',
    submitted: true,
  };
}

/** As other InvenioRDM answer at `/api/records/ID`. */
export function inveniordmReply(dataset: ServedDataset, url: string): unknown {
  const { id, concept, title, versions } = dataset;
  const self = `${url}/api/records/${id}`;
  const { files } = versions[0]!;
  return {
    id,
    created: '2020-01-02T03:04:05.000000+00:00',
    links: { self, self_html: `${url}/records/${id}`, files: `${self}/files`, archive: `${self}/files-archive` },
    parent: { id: concept, pids: { doi: { identifier: `10.5072/${concept}`, provider: 'datacite' } } },
    is_published: true,
    is_draft: false,
    pids: { doi: { identifier: `10.5072/${id}`, provider: 'datacite' } },
    metadata: {
      title,
      publication_date: '2020-01-02',
      creators: [{ person_or_org: { type: 'personal', name: 'Curie, Marie' } }],
      rights: [{ id: 'cc-by-4.0', title: { en: 'Creative Commons Attribution 4.0' } }],
      version: 'v1',
    },
    access: { record: 'public', files: 'public', embargo: { active: false, reason: null }, status: 'open' },
    files: {
      enabled: true,
      order: [],
      count: files.length,
      entries: Object.fromEntries(files.map((file) => [file.name, entryOf(file, self)])),
    },
    versions: { index: 1, is_latest: true },
  };
}

function entryOf(file: ServedFile, self: string): unknown {
  const link = `${self}/files/${encodeURIComponent(file.name)}`;
  const { size, md5 } = statedOf(file);
  return {
    id: `0000-${file.number}`,
    key: file.name,
    checksum: `md5:${md5}`,
    size,
    ext: file.name.slice(file.name.lastIndexOf('.') + 1),
    mimetype: file.mimetype,
    storage_class: 'L',
    metadata: null,
    access: { hidden: false },
    links: { self: link, content: `${link}/content` },
  };
}

/** The reply at `/api/records/ID/files`. */
export function inveniordmFilesReply(dataset: ServedDataset, url: string): unknown {
  const self = `${url}/api/records/${dataset.id}`;
  return {
    enabled: true,
    links: { self: `${self}/files`, archive: `${self}/files-archive` },
    default_preview: null,
    order: [],
    entries: dataset.versions[0]!.files.map((file) => entryOf(file, self)),
  };
}
