import { hash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import { getIssuerKeysAddress } from '../keys/index.ts'
import { newId } from '../../../database/model.ts'
import type { Context } from '../../../kernel/work.ts'
import type { StatusPosition } from '../contexts/index.ts'

/**
 * Number of entries in a list: the minimum that hides whose status is read. Source: W3C Bitstring Status List 1.0,
 * section 6.1.
 */
export const listLength = 131_072

/** Number of bits in the upper and the lower half of a 17-bit index. */
const halfBits = { upper: 8, lower: 9 }
const feistelRounds = 10

/** An allocated position with the pair of lists that it is in. */
export interface AllocatedStatusPosition extends StatusPosition {
  pair: string
}

interface PairRow {
  pair: string
  revocation: string
  suspension: string
  seed: Buffer
  taken: number
}

/** The issuer of credentials. Under `did:key` each key is an issuer of its own. */
export interface ListIssuer {
  organization: string
  did: string
  key: string
}

/** Returns the public address of a status list. */
export const getStatusListAddress = ({ settings }: Context, id: string) =>
  `${settings.baseUrl}/v1/dpp/status-lists/${id}`

/**
 * Allocates positions for new credentials of an issuer. Each position is used once, and the order of positions does not
 * reveal when a credential was issued. A list has the same issuer as the credentials in it, because verifiers accept no
 * other issuer for their revocation. The organization's lists stay locked until the caller's transaction ends; when a
 * pair is full, the next one is created.
 */
export async function allocateStatusPositions(
  trx: Knex,
  context: Context,
  issuer: ListIssuer,
  count: number,
): Promise<AllocatedStatusPosition[]> {
  const positions: AllocatedStatusPosition[] = []
  // Without the lock several transactions could find no pair, or the same full one, at the same time.
  if (count > 0) await lockByName(trx, `status lists ${issuer.organization}`)
  while (positions.length < count) {
    const pair = (await findOpenPair(trx, issuer)) ?? (await insertPair(trx, issuer))
    const allocatedCount = Math.min(count - positions.length, listLength - pair.taken)
    await trx('status_lists')
      .where({ pair: pair.pair })
      .update({ taken: pair.taken + allocatedCount })
    const keys = getIssuerKeysAddress(context.settings.baseUrl, issuer.did)
    const [revocation, suspension] = [
      getStatusListAddress(context, pair.revocation),
      getStatusListAddress(context, pair.suspension),
    ]
    for (let at = pair.taken; at < pair.taken + allocatedCount; at++) {
      positions.push({ pair: pair.pair, revocation, suspension, keys, index: permuteIndex(at, pair.seed) })
    }
  }
  return positions
}

async function findOpenPair(trx: Knex, { organization, did }: ListIssuer): Promise<PairRow | undefined> {
  const {
    rows: [pair],
  } = await trx.raw<{ rows: PairRow[] }>(
    `select r.pair, r.id as revocation, s.id as suspension, r.seed, r.taken
     from status_lists r join status_lists s on s.pair = r.pair and s.purpose = 'suspension'
       left join certification_keys k on k.id = r.key
     where r.organization = ? and r.issuer = ? and r.purpose = 'revocation' and r.taken < ?
       and k.status is distinct from 'revoked'
     order by r.created_at, r.id limit 1`,
    [organization, did, listLength],
  )
  return pair
}

async function insertPair(trx: Knex, { organization, did, key }: ListIssuer): Promise<PairRow> {
  const pairRow = { pair: newId(), revocation: newId(), suspension: newId(), seed: randomBytes(32), taken: 0 }
  const bits = Buffer.alloc(listLength / 8)
  const common = { pair: pairRow.pair, organization, issuer: did, key, seed: pairRow.seed, bits }
  await trx('status_lists').insert([
    { ...common, id: pairRow.revocation, purpose: 'revocation' },
    { ...common, id: pairRow.suspension, purpose: 'suspension' },
  ])
  return pairRow
}

/**
 * Returns the n-th index of a list. The indexes are a permutation under a secret seed: no index occurs twice, no row is
 * needed for each, and credentials issued one after the other are not neighbours in the list. The permutation is a
 * Feistel network over halves of 8 and 9 bits; every round can be undone, whatever it mixes in. Source: Luby and
 * Rackoff, "How to construct pseudorandom permutations", 1988.
 */
export function permuteIndex(position: number, seed: Buffer): number {
  let upper = position >>> halfBits.lower
  let lower = position & ((1 << halfBits.lower) - 1)
  for (let round = 0; round < feistelRounds; round += 2) {
    upper ^= mixRound(seed, round, lower) & ((1 << halfBits.upper) - 1)
    lower ^= mixRound(seed, round + 1, upper) & ((1 << halfBits.lower) - 1)
  }
  return (upper << halfBits.lower) | lower
}

function mixRound(seed: Buffer, round: number, value: number): number {
  const digest = hash('sha256', Buffer.concat([seed, Uint8Array.of(round, value >>> 8, value & 0xff)]), 'buffer')
  return digest.readUInt16BE(0)
}
