import { parentPort } from 'node:worker_threads'
import { serveApart } from '../../../../core/http/apart/serve.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { spinning } from './spinning.ts'

if (parentPort) serveApart(parentPort, { operations: [spinning], tasks: {} }, {} as Context)
