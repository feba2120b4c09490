import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses that are not those of hosts of the internet (IANA, IPv4 Special-Purpose Address Registry; RFC 5771). */
const SPECIAL = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Protocols, which may carry an IPv4 address (Teredo, 6to4), and documentation.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

/** All other IPv6 addresses are of this machine or network, carry an IPv4 address, or are not assigned (RFC 4291). */
const UNICAST = blockList(['2000::/3']);

/**
 * Whether a host is surely not requested: an address, or localhost, in a private network that is not allowed. It can be
 * said at once; names that lead there are found when they are connected to (guarded-agents.ts).
 * @param hostname of a URL
 * @param networks as for guardedAgents
 */
export function isRefusedHost(hostname: string, networks: readonly string[] | 'all'): boolean {
  if (networks === 'all') return false;
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const addresses = name === 'localhost' ? ['127.0.0.1', '::1'] : [name];
  const isAllowed = addressFilter(networks);
  return addresses.every((address) => isIP(address) !== 0 && !isAllowed(address));
}

/**
 * Returns whether an address is of the internet, or of a network that is allowed.
 * @param networks addresses or CIDR. One of IPv4 allows the same addresses as IPv6 writes them (`::ffff:10.1.2.3`)
 */
export function addressFilter(networks: readonly string[]): (address: string) => boolean {
  const allowed = blockList(networks);
  return (address) => has(allowed, address) || isPublic(address);
}

function isPublic(address: string): boolean {
  return !has(SPECIAL, address) && (!isIPv6(address) || has(UNICAST, address));
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** @param networks addresses or CIDR */
function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
