import type { Knex } from 'knex'
import { rowsOf } from './rows.ts'
import type { Block } from './family.ts'
import { countFinal } from './nonces.ts'
import type { Session } from './session.ts'
import { recordedBlocks, setBack } from './transactions.ts'

/** Blocks that are held against the node in one step, and how many of them in a row end the search. */
const stride = 100

/** The newest block that anything was recorded in. */
export async function headRecorded({ db, network, address }: Session): Promise<Block | null> {
  return (await recordedBlocks(db, network, address, Number.MAX_SAFE_INTEGER, 1))[0] ?? null
}

/**
 * Searches, from the newest recorded block down, for the first stretch that the node has wholly, and sets back what was
 * recorded above a block that it does not have. @returns whether anything was
 */
export async function rewind(session: Session): Promise<boolean> {
  const { db, network, address, family } = session
  let before = Number.MAX_SAFE_INTEGER
  let lowest: number | null = null
  for (;;) {
    const blocks = await recordedBlocks(db, network, address, before, stride)
    const known = await family.knows(blocks)
    const unknown = blocks.filter((_, index) => known[index] !== true)
    lowest = unknown.at(-1)?.number ?? lowest
    if (unknown.length === 0 || blocks.length < stride) break
    before = blocks.at(-1)?.number ?? 0
  }
  if (lowest === null) return false
  await setBackFrom(session, lowest)
  return true
}

/** The node has another first block: it knows nothing of what was recorded. */
export async function forget(session: Session): Promise<void> {
  await setBackFrom(session, 0)
}

async function setBackFrom({ db, network, address, log }: Session, block: number): Promise<void> {
  const operations = await db.transaction(async (trx: Knex.Transaction) => {
    const count = await setBack(trx, network, address, block - 1)
    await countFinal(trx, network, address, -count)
    return count
  })
  const [row] = await rowsOf<{ count: number }>(db, `select count(*)::float8 as count from chain_transactions
    where network = ? and sender = ? and status = 'submitted'`, [network, address])
  log.warn({ network, sender: address, block, operations, transactions: row?.count }, 'the chain was reorganized: sending again')
}
