import {
  contentOf,
  md5Of,
  type ServedDataset,
  type ServedFile,
  type ServedVersion,
  statedOf,
} from './simulated-dataset.ts';

/** The reply about a dataset (Dataverse native API: `/api/datasets/:persistentId`). */
export function dataverseReply(dataset: ServedDataset): unknown {
  const { number, id } = dataset;
  const [protocol, rest = ''] = splitAt(id, ':');
  const [authority, identifier] = splitAt(rest, '/');
  return {
    status: 'OK',
    data: {
      id: number,
      identifier,
      persistentUrl: protocol === 'doi' ? `https://doi.org/${rest}` : `https://hdl.handle.net/${rest}`,
      protocol,
      authority,
      publisher: 'Example Dataverse',
      publicationDate: '2020-01-02',
      storageIdentifier: `s3://${rest}`,
      latestVersion: versionOf(dataset, dataset.versions[0]!),
    },
  };
}

/** The reply about a version: `/api/datasets/:persistentId/versions/1.1`. */
export function dataverseVersionReply(dataset: ServedDataset, version: string): unknown {
  const one = dataset.versions.find((each) => each.version === version);
  return one && { status: 'OK', data: versionOf(dataset, one) };
}

function versionOf({ number, id, title }: ServedDataset, { version, files }: ServedVersion): unknown {
  const [major = '', minor = ''] = version.split('.');
  return {
    id: number + 1000,
    datasetId: number,
    datasetPersistentId: id,
    storageIdentifier: `s3://${id}`,
    versionNumber: Number(major),
    versionMinorNumber: Number(minor),
    versionState: 'RELEASED',
    lastUpdateTime: '2020-01-02T03:04:05Z',
    releaseTime: '2020-01-02T03:04:05Z',
    createTime: '2020-01-01T03:04:05Z',
    license: { name: 'CC0 1.0', uri: 'http://creativecommons.org/publicdomain/zero/1.0' },
    fileAccessRequest: false,
    metadataBlocks: { citation: { displayName: 'Citation Metadata', name: 'citation', fields: fieldsOf(title) } },
    files: files.map((file) => fileOf(file, id)),
  };
}

function fieldsOf(title: string): readonly unknown[] {
  const primitive = (typeName: string, value: string) => ({ typeName, multiple: false, typeClass: 'primitive', value });
  const compound = (typeName: string, value: Readonly<Record<string, unknown>>) => ({
    typeName,
    multiple: true,
    typeClass: 'compound',
    value: [value],
  });
  return [
    primitive('title', title),
    compound('author', { authorName: primitive('authorName', 'Curie, Marie') }),
    compound('dsDescription', { dsDescriptionValue: primitive('dsDescriptionValue', 'A dataset of a test') }),
  ];
}

function fileOf(file: ServedFile, id: string): unknown {
  const { name, number, mimetype, isTable = false, isRestricted = false } = file;
  const folder = name.slice(0, Math.max(0, name.lastIndexOf('/')));
  const label = isTable ? tableName(name) : name;
  const { size, md5 } = statedOf(file);
  const table = contentOf(tableName(name), 100);
  return {
    description: `About ${label}`,
    label: label.slice(label.lastIndexOf('/') + 1),
    restricted: isRestricted,
    ...(folder !== '' && { directoryLabel: folder }),
    version: 1,
    datasetVersionId: number + 1000,
    dataFile: {
      id: number,
      persistentId: `${id}/F${number}`,
      pidURL: `https://doi.org/F${number}`,
      filename: label.slice(label.lastIndexOf('/') + 1),
      contentType: isTable ? 'text/tab-separated-values' : mimetype,
      filesize: isTable ? table.length : size,
      description: `About ${label}`,
      storageIdentifier: `s3://bucket:${number}`,
      rootDataFileId: -1,
      md5,
      checksum: { type: 'MD5', value: md5 },
      ...(isTable && {
        originalFileFormat: mimetype,
        originalFormatLabel: 'Comma Separated Values',
        originalFileSize: size,
        originalFileName: name.slice(name.lastIndexOf('/') + 1),
        UNF: 'UNF:6:abc==',
      }),
      creationDate: '2020-01-01',
    },
  };
}

/** The `.tab` form of a table, which is served without `format=original`. */
export function tableForm(file: ServedFile): ServedFile {
  const name = tableName(file.name);
  return { ...file, name, size: 100, md5: md5Of(name, 100), mimetype: 'text/tab-separated-values', served: 0 };
}

const tableName = (name: string): string => name.replace(/\.[^.]*$/, '.tab');

function splitAt(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
