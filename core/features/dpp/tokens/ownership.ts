import type { Knex } from 'knex'
import type { TokenOperationKind, TokenOutcome } from '../../../chains/port.ts'
import { instant, nullable, object, oneOf, string, type Static } from '../../../kernel/schema.ts'
import { parseTokenBytes, tokenBytesSql } from '../passports/index.ts'

const ownershipTypes = ['mint', 'claim', 'transfer'] as const

export const Ownership = object(
  {
    type: oneOf(
      ownershipTypes,
      'mint: to the issuer, as a row of a batch; claim: to the buyer who claimed, freshly minted or from the issuer; '
        + 'transfer: from one owner to the next.',
    ),
    from: nullable(string('Address that owned the token before; null where it was made.')),
    to: string('Address that owned it afterwards.'),
    transactionHash: string('The transaction.'),
    at: instant('Time of its block.'),
  },
  { title: 'Ownership', description: "One change of owner of a passport's token. Addresses only." },
)
export type Ownership = Static<typeof Ownership>

const typeByKind: Record<TokenOperationKind, Ownership['type']> = {
  mintToIssuer: 'mint',
  mintTo: 'claim',
  transferTo: 'claim',
  passOn: 'transfer',
}

/**
 * Stores the changes of owner that the chain made. An operation that is settled again only updates its facts.
 * @returns the operations that were stored before
 */
export async function recordTransfers(trx: Knex, final: readonly TokenOutcome[]): Promise<Set<string>> {
  if (final.length === 0) return new Set()
  const { rows } = await trx.raw<{ rows: { operation: string; known: boolean }[] }>(
    `insert into passport_transfers
       (operation, passport, type, from_address, to_address, contract, transaction_hash, at)
     select moved.operation, passports.id, moved.type, moved.sender, moved.receiver, moved.contract, moved.hash,
       moved.at
     from unnest(?::text[], ?::bytea[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[])
       as moved (operation, token, type, sender, receiver, contract, hash, at)
     join passports on ${tokenBytesSql} = moved.token
     on conflict (operation) do update set from_address = excluded.from_address, to_address = excluded.to_address,
       contract = excluded.contract, transaction_hash = excluded.transaction_hash, at = excluded.at
     returning operation, xmax <> 0 as known`,
    [
      final.map((one) => one.id),
      final.map((one) => parseTokenBytes(one.tokenId)),
      final.map((one) => typeByKind[one.kind]),
      final.map((one) => one.from),
      final.map((one) => one.owner),
      final.map((one) => one.contract),
      final.map((one) => one.transactionHash),
      final.map((one) => one.at),
    ] as Knex.RawBinding[],
  )
  return new Set(rows.filter((row) => row.known).map((row) => row.operation))
}

interface TransferRow {
  type: Ownership['type']
  from_address: string | null
  to_address: string
  transaction_hash: string
  at: Date
}

/** Lists every change of owner of a passport's token, the oldest first. */
export async function listOwnership(db: Knex, passport: string): Promise<Ownership[]> {
  const rows = await db('passport_transfers').where({ passport }).orderBy('seq').select<TransferRow[]>('*')
  return rows.map((row) => ({
    type: row.type,
    from: row.from_address,
    to: row.to_address,
    transactionHash: row.transaction_hash,
    at: row.at.toISOString(),
  }))
}

/**
 * The SQL of the changes of owner of a passport's token: `id`, `at`, `type`, `from_address`, `to_address`,
 * `transaction_hash`. Its binding is the passport.
 */
export const passportTransfersSql = `
  select md5(t.operation)::uuid as id, t.at, t.type, t.from_address, t.to_address, t.transaction_hash
  from passport_transfers t where t.passport = ?`
