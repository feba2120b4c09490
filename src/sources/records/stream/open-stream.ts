import type { StreamOrigin } from '../../../core/origin.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { Source } from '../../source.ts';
import {
  dumpsInForm,
  dumpsOfStream,
  type FilesOriginParts,
  UploadsOfDefault,
  uploadsOfStream,
} from './files-origins.ts';
import { FilesSource, type FilesSourceParts } from './files-source.ts';
import { FollowingSource, type FollowingSourceParts } from './following-source.ts';
import { StreamRecordsSource } from './records-source.ts';

export interface StreamSourceParts extends FollowingSourceParts, FilesOriginParts, FilesSourceParts {
  readonly index: FollowingSourceParts['index'];
  readonly catalog: FilesOriginParts['catalog'];
  readonly artifacts: FollowingSourceParts['artifacts'];
}

/** Opens the source that a set of a stream is synced with. */
export function openStream(set: ResourceSet, origin: StreamOrigin, parts: StreamSourceParts): Source {
  const { kind, organization, stream } = origin;
  switch (kind) {
    case 'stream':
      return stream === undefined ? new FollowingSource(set, organization, parts) : new StreamRecordsSource(set, parts);
    case 'uploads': {
      const { catalog } = parts;
      const uploads =
        stream === undefined
          ? new UploadsOfDefault(set, organization, parts)
          : uploadsOfStream(catalog, organization, stream);
      return new FilesSource(set, uploads, parts);
    }
    case 'dump-files': {
      const { catalog } = parts;
      const { form } = origin;
      const dumps = form === undefined ? dumpsOfStream(catalog, origin) : dumpsInForm(catalog, origin, form);
      return new FilesSource(set, dumps, parts);
    }
  }
}
