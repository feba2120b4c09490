import { BlockList, isIP, isIPv6 } from 'node:net';

/** This machine, private and link-local networks (RFC 6890). */
const PRIVATE = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
]);

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
  const allowed = blockList(networks);
  return addresses.every((address) => isIP(address) !== 0 && has(PRIVATE, address) && !has(allowed, address));
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
