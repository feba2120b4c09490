import { isMediaType } from '../../../core/media-type.ts';
import type { Entry } from '../../read/document.ts';
import { lesser, type Problems, type ResourceAnswer, type Rules, wrong } from './rule.ts';
import { instantOf } from './times.ts';

const DIGEST_LENGTHS: Readonly<Record<string, number>> = { md5: 32, 'sha-1': 40, 'sha-256': 64, 'sha-512': 128 };

const NONE: Problems = [];

/** Invalid hashes of a list: each must be `alg:hex`, of the right length if the algorithm is known. */
const malformedHashes = (list: string): readonly string[] =>
  list
    .trim()
    .split(/\s+/)
    .filter((hash) => {
      const [, algorithm = '', digest = ''] = /^([a-z0-9-]+):([0-9a-f]+)$/i.exec(hash) ?? [];
      return digest === '' || digest.length !== (DIGEST_LENGTHS[algorithm.toLowerCase()] ?? digest.length);
    });

const hashesOf = ({ md }: Entry): readonly (readonly [string, string])[] =>
  (md.hash ?? '')
    .trim()
    .split(/\s+/)
    .map((hash) => hash.toLowerCase().split(':') as [string, string]);

const withoutParameters = (type: string) => type.split(';')[0]!.trim().toLowerCase();

/** Whether the bytes can be compared with the entry. */
const isRead = ({ failure, status, changedLater }: ResourceAnswer) =>
  failure === undefined && status === 200 && !changedLater;

/** Rules that compare the entries of all lists with the responses of the server. */
export const RESOURCES: Rules = {
  12: {
    answered: ({ md: { length } }, answer) =>
      wrong(
        isRead(answer) && length !== undefined && Number(length) !== answer.length,
        () => `length ${length}, but ${answer.length} bytes came`,
      ),
    extension: ({ attributes: { length } }) =>
      wrong(length !== undefined && !/^\d+$/.test(length), () => `length ${length} is not a number of bytes`),
  },
  13: {
    answered: ({ md: { encoding } }, answer) => {
      const came = answer.headers['content-encoding'];
      return wrong(
        isRead(answer) && encoding !== came && (encoding !== undefined || came !== undefined),
        () => `encoding ${encoding ?? 'missing'}, but Content-Encoding ${came ?? 'missing'}`,
      );
    },
  },
  14: {
    entry: ({ md: { hash } }) =>
      hash === undefined ? NONE : malformedHashes(hash).map((each) => `hash ${each.slice(0, 150)}`),
    answered: (entry, answer) =>
      isRead(answer)
        ? hashesOf(entry)
            .filter(
              ([algorithm, digest]) => answer.hashes[algorithm] !== undefined && answer.hashes[algorithm] !== digest,
            )
            .map(([algorithm]) => `the ${algorithm} of what came is ${answer.hashes[algorithm]}`)
        : NONE,
  },
  15: {
    extension: ({ attributes: { type } }) =>
      wrong(type !== undefined && !isMediaType(type), () => `type ${type} is not a media type`),
    answered: ({ md: { type } }, answer) => {
      const came = answer.headers['content-type'];
      return wrong(
        isRead(answer) &&
          type !== undefined &&
          came !== undefined &&
          withoutParameters(type) !== withoutParameters(came),
        () => `type ${type}, but Content-Type ${came}`,
      );
    },
  },
  16: {
    answered: (_, { failure, status, redirected, changedLater }) => {
      if (failure !== undefined) return [`the resource cannot be read: ${failure}`];
      if (status !== 200) return [{ message: `the resource answers ${status}`, level: changedLater ? 'note' : 'MUST' }];
      return lesser(redirected, 'note', () => 'the resource is answered at another address, after a redirect');
    },
  },
  17: {
    answered: ({ lastmod }, answer) => {
      const modified = Date.parse(answer.headers['last-modified'] ?? '');
      const listed = instantOf(lastmod) / 1000;
      return wrong(
        isRead(answer) && Math.floor(listed / 1000) !== modified / 1000 && !Number.isNaN(listed + modified),
        () => `lastmod ${lastmod}, but Last-Modified ${answer.headers['last-modified']}`,
      );
    },
  },
};
