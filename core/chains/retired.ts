import type { Knex } from 'knex'
import type { Network } from './networks.ts'
import { changed, rowsOf } from './rows.ts'
import type { Duty } from './session.ts'

/** A condition on a contract: the key of its sender is not configured any more. */
export const isRetired = `exists (select from chain_senders s
  where s.network = chain_contracts.network and s.address = chain_contracts.sender and s.retired)`

/** What waits for a sender that is not configured any more: only its key brings it on. */
export interface Stranded { network: Network; sender: string; contracts: number; operations: number }

export async function strandedOperations(db: Knex): Promise<Stranded[]> {
  const queued = `from chain_operations o where o.network = c.network and o.status = 'queued'`
  const ofPassports = `${queued} and o.application = c.application and o.kind`
  const others = `from chain_contracts n where n.application = c.application and n.network = c.network and n.kind = c.kind`
  // Of several contracts of an application the newest has the batches, and each the tokens that were minted in it.
  const isNewest = `not exists (select ${others} and n.part > c.part)`
  const hasToken = `c.address = coalesce((
    select t.contract from chain_operations e join chain_transactions t on t.id = e.transaction
    where e.application = o.application and e.token_id = o.token_id and e.network = o.network
      and e.kind = 'mintToIssuer' and e.status = 'final' limit 1
  ), (select n.address ${others} and n.transaction is not null order by n.part desc limit 1))`
  return rowsOf(db, `
    select s.network, s.address as sender, count(*)::float8 as contracts, sum(waiting.operations)::float8 as operations
    from chain_senders s
    join chain_contracts c on c.network = s.network and c.sender = s.address and c.transaction is not null
    cross join lateral (
      select case c.kind
        when 'anchors' then (select count(*) ${queued} and o.kind = 'anchor')
        when 'keys' then (select count(*) ${queued} and o.kind in ('registerKey', 'rotateKey', 'revokeKey'))
        else (select count(*) ${ofPassports} = 'mintToIssuer' and ${isNewest})
          + (select count(*) ${ofPassports} <> 'mintToIssuer' and ${hasToken})
      end + (
        select count(*) from chain_transactions t join chain_operations o on o.transaction = t.id
        where t.network = s.network and t.sender = s.address and t.contract = c.address
          and t.status in ('signed', 'submitted', 'included')) as operations
    ) waiting
    where s.retired and waiting.operations > 0 group by s.network, s.address order by s.network, s.address`)
}

/** Notes which of a network's senders are configured, and warns of operations that wait for another one. */
export async function retireSenders(db: Knex, { network, place, addresses, log }: Duty): Promise<void> {
  if (place !== 0) return
  await changed(db, `update chain_senders set retired = not retired
    where network = ? and retired <> (address <> all(?::text[]))`, [network, addresses])
  for (const stranded of await strandedOperations(db)) {
    if (stranded.network === network) log.warn(stranded, 'operations wait for a sender whose key is not configured')
  }
}
