import type { Knex } from 'knex'
import type { Logger } from 'pino'
import type { Chains } from './chains/chain.ts'
import { chainsOf } from './chains/chains.ts'
import { connect, connectDirectly, type Direct } from './database/connection.ts'
import { noticesOf } from './database/notices.ts'
import { identityOf } from './features/identity/index.ts'
import { demandWritableFolder } from './kernel/data-folder.ts'
import { armFault } from './kernel/fault.ts'
import type { Apart, Clock, Identity, Notices, Outbound, Post, Queue } from './kernel/parts.ts'
import type { Context } from './kernel/work.ts'
import { createLog } from './log.ts'
import { outboundOf } from './outbound/outbound.ts'
import { postOf } from './queue/post.ts'
import { queueOf } from './queue/queue.ts'
import { demand, type Settings } from './settings.ts'

/** Everything a process is made of, built once by `contextOf` and handed down. */
export interface Parts {
  settings: Settings
  log: Logger
  clock: Clock
  db: Knex
  /** For single statements that are asked often. */
  direct: Direct
  notices: Notices
  queue: Queue
  post: Post
  chains: Chains
  identity: Identity
  /** Fetches addresses that users gave. */
  outbound: Outbound
  /** Only in the API: other processes do the work themselves. */
  apart?: Apart
}

declare module './kernel/work.ts' {
  interface Context extends Parts {}
}

export interface Built { context: Context; close(): Promise<void> }

/** Builds the parts of one process. @param name of the process, for logs and for the database's list of connections */
export async function contextOf(settings: Settings, name: string): Promise<Built> {
  const { databaseUrl, databaseDirectUrl, redisUrl } = demand(settings, 'databaseUrl')
  armFault(settings.faultPoint)
  // Without an IPFS node, what is kept by its content identifier lies in this folder.
  if (settings.ipfsApiUrl === undefined) demandWritableFolder(settings.dataDir)
  const log = createLog(name, settings)
  const clock = { now: () => new Date() }
  const db = connect({ url: databaseUrl, name: `tessera-${name}`, quick: name === 'server' })
  const direct = connectDirectly({ url: databaseUrl, name: `tessera-${name}-direct`, quick: name === 'server' })
  const notices = noticesOf({ url: databaseDirectUrl ?? databaseUrl, log })
  const queue = queueOf({ db, redisUrl, log, notices })
  const parts = { settings, log, clock, db, direct, notices, queue }
  const base = { ...parts, post: postOf(parts) }
  const chains = chainsOf(base)
  const context = { ...base, chains, identity: identityOf(base), outbound: outboundOf(base) } as Context
  return {
    context,
    close: async () => {
      await queue.close()
      await notices.close()
      await direct.close()
      await db.destroy()
    },
  }
}
