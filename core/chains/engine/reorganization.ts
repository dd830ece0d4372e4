import type { Knex } from 'knex'
import { queryRows } from './rows/rows.ts'
import type { Block } from '../family.ts'
import { addFinalCount } from './rows/senders.ts'
import type { SenderSession } from './session.ts'
import { settleUndoneTransaction } from './settle.ts'
import { listRecordedBlocks, rewindTransactions } from './rows/transactions.ts'

/** Number of blocks that are compared with the node in one step. A step in which all are known ends the search. */
const blockChunkSize = 100

/** Finds the newest block in which anything was recorded. */
export async function findNewestRecordedBlock(session: SenderSession): Promise<Block | null> {
  return (await listRecordedBlocks(session.db, session, Number.MAX_SAFE_INTEGER, 1))[0] ?? null
}

/**
 * Searches down from the newest recorded block until the node knows all blocks of one step, and rewinds everything that
 * was recorded from the lowest unknown block on.
 * @returns whether anything was rewound
 */
export async function rewindToKnownBlock(session: SenderSession): Promise<boolean> {
  const { db, adapter } = session
  let before = Number.MAX_SAFE_INTEGER
  let lowest: number | null = null
  for (;;) {
    const blocks = await listRecordedBlocks(db, session, before, blockChunkSize)
    const isKnown = await adapter.hasBlocks(blocks)
    const unknown = blocks.filter((_, index) => isKnown[index] !== true)
    lowest = unknown.at(-1)?.number ?? lowest
    if (unknown.length === 0 || blocks.length < blockChunkSize) break
    before = blocks.at(-1)?.number ?? 0
  }
  if (lowest === null) return false
  await rewindFromBlock(session, lowest)
  return true
}

/** Rewinds everything that was recorded, because the node has a different first block. */
export async function rewindToGenesis(session: SenderSession): Promise<void> {
  await rewindFromBlock(session, 0)
}

/**
 * Rewinds everything from a block on, in one database transaction with the handlers that hear of points that are not
 * final any more.
 */
async function rewindFromBlock(session: SenderSession, block: number): Promise<void> {
  const { db, network, address, log } = session
  const operations = await db.transaction(async (trx: Knex.Transaction) => {
    const rewound = await rewindTransactions(trx, session, block - 1)
    await addFinalCount(trx, session, -rewound.operations)
    for (const transaction of rewound.pointsTransactions) await settleUndoneTransaction(session, trx, transaction)
    return rewound.operations
  })
  const [row] = await queryRows<{ count: number }>(
    db,
    `select count(*)::float8 as count from chain_transactions
    where network = ? and sender = ? and status = 'submitted'`,
    [network, address],
  )
  const transactions = row?.count
  log.warn({ network, sender: address, block, operations, transactions }, 'the chain was reorganized: sending again')
}
