import { parentPort } from 'node:worker_threads'
import { serveThreadRequests } from '../../../../../core/http/apart/thread-server.ts'
import type { Context } from '../../../../../core/kernel/work.ts'
import { spinning } from './spinning.ts'

if (parentPort) serveThreadRequests(parentPort, { operations: [spinning], tasks: {} }, {} as Context)
