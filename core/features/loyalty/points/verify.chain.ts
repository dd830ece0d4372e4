import type { Knex } from 'knex'
import type { Chains } from '../../../chains/port.ts'
import { listFigures, type KeptFigures } from '../../accounts/index.ts'
import { listMovingAccounts } from '../posting/index.ts'

/** An account whose points on the chain differ from what the ledger says is final there. */
export interface ChainDifference {
  what: 'chain'
  account: string
  expected: string
  found: string
}

export interface ChainCheck {
  differences: ChainDifference[]
  /** Accounts that were not compared, because an entry of theirs is on its way to the chain. */
  moving: number
}

/**
 * Compares the settled points of accounts with those on the chain. An account that has an entry on its way, before or
 * after its points are read from the chain, has no number that can be compared.
 * @throws NodeUnavailableError
 */
export async function compareChain(
  db: Knex,
  chains: Pick<Chains, 'performs' | 'readPoints'>,
  accounts: readonly KeptFigures[],
): Promise<ChainCheck> {
  const onChain = accounts.filter(({ network }) => chains.performs(network, 'postPoints'))
  const differences: ChainDifference[] = []
  let moving = 0
  for (const ofPlace of Map.groupBy(onChain, ({ application, network }) => `${application} ${network}`).values()) {
    const { application, network } = ofPlace[0]!
    const addresses = ofPlace.map(({ address }) => address)
    const before = await listMovingAccounts(db, ofPlace.map(getAccount))
    const found = await chains.readPoints(db, network, application, addresses)
    const after = await readSettled(db, ofPlace)
    for (const { account, address, settled } of ofPlace) {
      const points = found.get(address) ?? 0n
      if (before.has(account) || after.moving.has(account) || after.settled.get(account) !== settled) moving++
      else if (points !== settled)
        differences.push({ what: 'chain', account, expected: String(settled), found: String(points) })
    }
  }
  return { differences, moving }
}

const getAccount = ({ account }: KeptFigures) => account

async function readSettled(db: Knex, accounts: readonly KeptFigures[]) {
  const ids = accounts.map(getAccount)
  const figures = await listFigures(db, { organization: null, accounts: ids, limit: ids.length })
  return {
    moving: await listMovingAccounts(db, ids),
    settled: new Map(figures.map(({ account, settled }) => [account, settled])),
  }
}
