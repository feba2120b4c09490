import { serveCalls } from '../../lib/workers/rpc.ts';
import { readPage } from './read-page.ts';

const functions = { readPage };
export type HtmlFunctions = typeof functions;

serveCalls(functions);
