import type { Agent } from 'node:http';
import type { AgentOptions, Agent as SecureAgent } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export interface GuardedAgents {
  readonly http: Agent;
  readonly https: SecureAgent;
}

/**
 * Agents for requests to addresses that strangers name. Each address is checked when it is connected to, after its name
 * was resolved, so that neither a redirect nor another answer of the DNS leads to a private network.
 * @param privateNetworks those that may be requested, as addresses or in the notation of CIDR; this machine is one
 */
export function guardedAgents(privateNetworks: readonly string[] | 'all', options: AgentOptions): GuardedAgents {
  const filter =
    privateNetworks === 'all'
      ? { ...options, allowPrivateIPAddress: true, allowMetaIPAddress: true }
      : { ...options, allowIPAddressList: [...privateNetworks] };
  return { http: new RequestFilteringHttpAgent(filter), https: new RequestFilteringHttpsAgent(filter) };
}

const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the server refuses the connection',
  ECONNRESET: 'the server ended the connection',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ETIMEDOUT: 'the server does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  HPE_HEADER_OVERFLOW: 'the head of the response is too large',
};

/** Why there is no answer, in words for a person. */
export function describeHttpFailure(error: NodeJS.ErrnoException): string {
  // The library gives its errors no code.
  if (/IP address\.$/.test(error.message)) {
    return 'its host is in a private network, or is this machine, which is not requested here';
  }
  return MESSAGES[error.code ?? ''] ?? error.message;
}
