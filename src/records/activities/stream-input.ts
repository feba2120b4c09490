import { TidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { StreamName } from '../stream-set-names.ts';

/** A stream as the input of a harvest: `stream:ORG/STREAM`, or `stream:ORG` for the default stream. */
const PREFIX = 'stream:';
const NAME = /^stream:(?<organization>[^/?#]+)(?:\/(?<stream>[^/?#]+))?$/;
const POSITION = /^stream:(?<organization>[^/?#]+)\/(?<stream>[^/?#]+)\?(?:upload=\d+&)?until=(?<until>\d+)$/;

/** What a harvest has read of a stream. */
export interface StreamPosition extends Required<StreamName> {
  /** The number of the last upload that was applied before it; undefined without one. */
  readonly upload?: number | undefined;
  /** A boundary: all changes below it were read. */
  readonly until: Stamp;
}

export function isStreamInput(from: string | undefined): from is string {
  return from?.startsWith(PREFIX) === true;
}

/** @throws TidemarkError `invalid` */
export function parseStreamInput(from: string): StreamName {
  const { organization, stream } = NAME.exec(from)?.groups ?? {};
  if (organization !== undefined) return { organization, ...(stream !== undefined && { stream }) };
  const text = JSON.stringify(from.slice(0, 100));
  throw new TidemarkError('invalid', `${text} is not a stream: use stream:ORG/STREAM, or stream:ORG for its default`, {
    field: 'from',
  });
}

/** A position as the generator in a provenance: `stream:lane/main?upload=12&until=1764372000000001`. */
export function formatPosition({ organization, stream, upload, until }: StreamPosition): string {
  const last = upload === undefined ? '' : `upload=${upload}&`;
  return `${PREFIX}${organization}/${stream}?${last}until=${until}`;
}

/** The position that a harvest has read up to; undefined for one of something else. */
export function parsePosition(generator: string): StreamPosition | undefined {
  const { organization, stream, until } = POSITION.exec(generator)?.groups ?? {};
  if (organization === undefined || stream === undefined) return undefined;
  return { organization, stream, until: Number(until) };
}
