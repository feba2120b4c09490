import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses from which a proxy in front of this server may connect. */
const NEAR = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  NEAR.addSubnet(network, prefix, 'ipv4');
}
NEAR.addAddress('::1', 'ipv6');
NEAR.addSubnet('fc00::', 7, 'ipv6');

/**
 * Identifies clients without a token by the address of the connection. If that is a local address, which may be a
 * proxy, the last address of X-Forwarded-For is used, which that proxy has written. Of IPv6, only the first 64 bits
 * count: a client controls the rest.
 */
export function clientAddress(headers: IncomingHttpHeaders, address = ''): string {
  return network(wholeAddress(headers, address));
}

/** The address of a client for people, found in the same way; that of the connection when a proxy names none. */
export function shownAddress(headers: IncomingHttpHeaders, address = ''): string {
  const whole = wholeAddress(headers, address);
  return isIP(whole) === 0 ? unmapped(address) : whole;
}

function wholeAddress(headers: IncomingHttpHeaders, address: string): string {
  const own = unmapped(address);
  const forwarded = isNear(own)
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)!
        .trim()
    : '';
  return forwarded === '' ? own : unmapped(withoutPort(forwarded.slice(0, 64)));
}

/** Some proxies append the port of the connection: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(address: string): string {
  return address.replace(/^([\d.]+):\d+$/, '$1').replace(/^\[(.*)\](?::\d+)?$/, '$1');
}

/** An IPv4 address that is written as one of IPv6. */
function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function isNear(address: string): boolean {
  return NEAR.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.toLowerCase().split('::');
  const groups = before === '' ? [] : before.split(':');
  const zeros = after === undefined ? 0 : 8 - groups.length - (after === '' ? 0 : after.split(':').length);
  return [...groups, ...Array<string>(zeros).fill('0'), ...(after?.split(':') ?? [])].slice(0, 4).join(':');
}
