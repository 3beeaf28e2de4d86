import { afterAll } from 'vitest';
import { openSharedPlayground } from '../../../devnet/playground/client.ts';
import { openPlayground } from '../../../devnet/playground/playground.ts';
import { servePlayground } from '../../../devnet/playground/server.ts';
import { nodeContract } from '../../lightning/contract.ts';
import { closeAfterAll, collectLog, tempDir } from './support/open.ts';

const closing = closeAfterAll();
const log = collectLog();

const dataDir = tempDir();
nodeContract('the playground', { open: async () => closing(await openPlayground({ dataDir, log })) });

const secret = 'between us two only';
const server = await servePlayground({ dataDir: tempDir(), host: '127.0.0.1', port: 0, secret, log });
afterAll(() => server.close());
const url = `playground://127.0.0.1:${server.port}?secret=${encodeURIComponent(secret)}`;
nodeContract('a shared playground', { open: async () => closing(openSharedPlayground({ url, log })) });
nodeContract('a second node of a shared playground', { open: async () => closing(openSharedPlayground({ url: `${url}&node=shop`, log })) });
