import { serveCalls } from '../../../lib/workers/rpc.ts';
import { publishFiles } from './publish-files.ts';

const functions = { publishFiles };
export type PublishFunctions = typeof functions;

serveCalls(functions);
