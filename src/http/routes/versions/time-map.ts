import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { formatSeconds } from '../../../core/w3c-datetime.ts';

export interface TimeMap {
  /** The address of the resource. */
  readonly original: string;
  readonly timeGate: string;
  readonly timeMap: string;
  /** The address of this part of it. */
  readonly self: string;
  /** The oldest first; at least one. */
  readonly versions: readonly { readonly uri: string; readonly stamp: Stamp }[];
  /** The boundary below the oldest of them, when there may be older ones. */
  readonly next: Stamp | undefined;
}

export const LINK_FORMAT = 'application/link-format';

/** The media types of a TimeMap; the first is sent to a client that requests neither. */
export const TIME_MAP_TYPES = [LINK_FORMAT, 'application/json'] as const;

/** The versions of a resource as `application/link-format` (RFC 7089, 5; RFC 6690). */
export function renderTimeMap({ original, timeGate, timeMap, self, versions, next }: TimeMap): string {
  const [from, until] = [versions[0]!, versions.at(-1)!].map(({ stamp }) => httpDate(stamp));
  const type = `type="${LINK_FORMAT}"`;
  const links = [
    `<${original}>; rel="original"`,
    `<${timeGate}>; rel="timegate"`,
    `<${self}>; rel="self"; ${type}; from="${from}"; until="${until}"`,
    ...(next === undefined ? [] : [`<${timeMap}?until=${formatStamp(next)}>; rel="timemap"; ${type}`]),
    ...versions.map(({ uri, stamp }, at) => {
      const first = at === 0 && next === undefined ? 'first ' : '';
      const last = at === versions.length - 1 ? 'last ' : '';
      return `<${uri}>; rel="${first}${last}memento"; datetime="${httpDate(stamp)}"`;
    }),
  ];
  return `${links.join(',\n')}\n`;
}

/**
 * The same as JSON, for clients of Memento (mementoweb.org/guide/timemap-json). As in link-format, `first` and `last`
 * refer to this document; one that is preceded by older versions has no `first`.
 */
export function timeMapJson({ original, timeGate, timeMap, versions, next }: TimeMap): object {
  const list = versions.map(({ uri, stamp }) => ({ datetime: isoDate(stamp), uri }));
  const older = next === undefined ? undefined : `${timeMap}?until=${formatStamp(next)}`;
  return {
    original_uri: original,
    timegate_uri: timeGate,
    timemap_uri: { link_format: timeMap, json_format: timeMap },
    ...(older !== undefined && { pages: { prev: { uri: older } } }),
    mementos: { ...(older === undefined && { first: list[0] }), last: list.at(-1), list },
  };
}

/** In whole seconds, like Memento-Datetime. */
function isoDate(stamp: Stamp): string {
  return formatSeconds(Math.floor(stamp / 1_000_000));
}

export function httpDate(stamp: Stamp): string {
  return new Date(Math.floor(stamp / 1_000_000) * 1_000).toUTCString();
}
