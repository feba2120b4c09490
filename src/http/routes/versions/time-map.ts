import { formatStamp, type Stamp } from '../../../core/stamp.ts';

export interface TimeMap {
  /** The address of the resource. */
  readonly original: string;
  readonly timeGate: string;
  readonly timeMap: string;
  /** The oldest first; at least one. */
  readonly versions: readonly { readonly uri: string; readonly stamp: Stamp }[];
  /** The boundary below the oldest of them, when there may be older ones. */
  readonly next: Stamp | undefined;
}

/** The versions of a resource as `application/link-format` (RFC 7089, 5; RFC 6690). */
export function renderTimeMap({ original, timeGate, timeMap, versions, next }: TimeMap): string {
  const [from, until] = [versions[0]!, versions.at(-1)!].map(({ stamp }) => httpDate(stamp));
  const type = 'type="application/link-format"';
  const links = [
    `<${original}>; rel="original"`,
    `<${timeGate}>; rel="timegate"`,
    `<${timeMap}>; rel="self"; ${type}; from="${from}"; until="${until}"`,
    ...(next === undefined ? [] : [`<${timeMap}?until=${formatStamp(next)}>; rel="timemap"; ${type}`]),
    ...versions.map(({ uri, stamp }, at) => {
      const first = at === 0 && next === undefined ? 'first ' : '';
      const last = at === versions.length - 1 ? 'last ' : '';
      return `<${uri}>; rel="${first}${last}memento"; datetime="${httpDate(stamp)}"`;
    }),
  ];
  return `${links.join(',\n')}\n`;
}

function httpDate(stamp: Stamp): string {
  return new Date(Math.floor(stamp / 1_000_000) * 1_000).toUTCString();
}
