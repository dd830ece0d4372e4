import type { Knex } from 'knex'
import { sharedContracts } from '../../acts/acts.ts'
import { isBatchedToken, isPoints, isRecordOfContract, isSingleToken } from '../../acts/conditions.ts'
import type { SharedContract } from '../../family.ts'
import type { Network } from '../../networks.ts'
import { executeStatement, queryRows } from './rows.ts'
import type { SenderOptions } from '../session.ts'

/** SQL condition on a contract: the key of the contract's sender is not configured any more. */
export const retiredSenderCondition = `exists (select from chain_senders s
  where s.network = chain_contracts.network and s.address = chain_contracts.sender and s.retired)`

/** A sender whose key is not configured any more, and the work that only this key can continue. */
export interface StrandedSender {
  network: Network
  sender: string
  contracts: number
  operations: number
}

export async function listStrandedSenders(db: Knex): Promise<StrandedSender[]> {
  const queued = `from chain_operations o where o.network = c.network and o.status = 'queued'`
  const ofApplication = `${queued} and o.application = c.application`
  const createSharedCount = (contract: SharedContract) =>
    `when '${contract}' then (select count(*) ${queued} and ${isRecordOfContract('o.kind', contract)})`
  const others = `from chain_contracts n where n.application = c.application and n.network = c.network and n.kind = c.kind`
  // If an application has several contracts, the newest takes the batches, and each keeps the tokens minted in it.
  const isNewest = `not exists (select ${others} and n.part > c.part)`
  const hasToken = `c.address = coalesce((
    select t.contract from chain_operations e join chain_transactions t on t.id = e.transaction
    where e.application = o.application and e.token_id = o.token_id and e.network = o.network
      and ${isBatchedToken('e.kind')} and e.status = 'final' limit 1
  ), (select n.address ${others} and n.address is not null order by n.part desc limit 1))`
  return queryRows(
    db,
    `
    select s.network, s.address as sender, count(*)::float8 as contracts, sum(waiting.operations)::float8 as operations
    from chain_senders s
    join chain_contracts c on c.network = s.network and c.sender = s.address and c.address is not null
    cross join lateral (
      select case c.kind
        ${sharedContracts.map(createSharedCount).join('\n        ')}
        when 'points' then (select count(*) ${ofApplication} and ${isPoints('o.kind')})
        else (select count(*) ${ofApplication} and ${isBatchedToken('o.kind')} and ${isNewest})
          + (select count(*) ${ofApplication} and ${isSingleToken('o.kind')} and ${hasToken})
      end + (
        select count(*) from chain_transactions t join chain_operations o on o.transaction = t.id
        where t.network = s.network and t.sender = s.address and t.contract = c.address
          and t.status in ('signed', 'submitted', 'included')) as operations
    ) waiting
    where s.retired and waiting.operations > 0 group by s.network, s.address order by s.network, s.address`,
  )
}

/** Marks which of a network's senders are retired, and warns of operations that wait for a retired sender. */
export async function updateRetiredSenders(
  db: Knex,
  { network, senderIndex, addresses, log }: SenderOptions,
): Promise<void> {
  if (senderIndex !== 0) return
  await executeStatement(
    db,
    `update chain_senders set retired = not retired
    where network = ? and retired <> (address <> all(?::text[]))`,
    [network, addresses],
  )
  for (const stranded of await listStrandedSenders(db)) {
    if (stranded.network === network) log.warn(stranded, 'operations wait for a sender whose key is not configured')
  }
}
