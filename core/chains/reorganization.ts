import type { Knex } from 'knex'
import { rowsOf } from './rows.ts'
import type { Block } from './family.ts'
import { countFinal } from './nonces.ts'
import type { Session } from './session.ts'
import { recordedBlocks, setBack } from './transactions.ts'

/** Blocks that are held against the node in one step, and how many of them in a row end the search. */
const stride = 100

/** The newest block that anything was recorded in. */
export async function headRecorded(session: Session): Promise<Block | null> {
  return (await recordedBlocks(session.db, session, Number.MAX_SAFE_INTEGER, 1))[0] ?? null
}

/**
 * Searches, from the newest recorded block down, for the first stretch that the node has wholly, and sets back what was
 * recorded above a block that it does not have. @returns whether anything was
 */
export async function rewind(session: Session): Promise<boolean> {
  const { db, family } = session
  let before = Number.MAX_SAFE_INTEGER
  let lowest: number | null = null
  for (;;) {
    const blocks = await recordedBlocks(db, session, before, stride)
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

async function setBackFrom(session: Session, block: number): Promise<void> {
  const { db, network, address, log } = session
  const operations = await db.transaction(async (trx: Knex.Transaction) => {
    const count = await setBack(trx, session, block - 1)
    await countFinal(trx, session, -count)
    return count
  })
  const [row] = await rowsOf<{ count: number }>(db, `select count(*)::float8 as count from chain_transactions
    where network = ? and sender = ? and status = 'submitted'`, [network, address])
  const transactions = row?.count
  log.warn({ network, sender: address, block, operations, transactions }, 'the chain was reorganized: sending again')
}
