import { hash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { lockByName } from '../../database/lock.ts'
import { issuerKeysAddress } from './issuer-keys/address.ts'
import { newId } from '../../database/model.ts'
import type { Context } from '../../kernel/work.ts'
import type { StatusPlace } from './credential.ts'

/** Entries of a list: the fewest that hide among them whose status is read. Source: W3C Bitstring Status List 1.0, section 6.1. */
export const listLength = 131_072

/** Of the 17 bits of an index, those of its upper and of its lower half. */
const half = { upper: 8, lower: 9 }
const rounds = 10

/** A free place, and the pair of lists it is in. */
export interface TakenPlace extends StatusPlace { pair: string }

interface PairRow { pair: string; revocation: string; suspension: string; seed: Buffer; taken: number }

/** Who credentials are issued by: under `did:key` each key is an issuer of its own. */
export interface ListIssuer { organization: string; did: string; key: string }

/** Where a status list is read. */
export const listAddress = ({ settings }: Context, id: string) => `${settings.baseUrl}/v1/dpp/status-lists/${id}`

/**
 * Takes places for new credentials of an issuer, each once and in an order that tells nothing of when. A list has the
 * issuer of the credentials in it, as verifiers trust no other one to revoke them. The pair stays locked until the
 * caller's transaction ends; when it is full the next one is made.
 */
export async function takePlaces(
  trx: Knex, context: Context, issuer: ListIssuer, count: number,
): Promise<TakenPlace[]> {
  const places: TakenPlace[] = []
  // Several may find no pair, or a full one, at the same time.
  if (count > 0) await lockByName(trx, `status lists ${issuer.organization}`)
  while (places.length < count) {
    const pair = (await openPair(trx, issuer)) ?? (await newPair(trx, issuer))
    const most = Math.min(count - places.length, listLength - pair.taken)
    await trx('status_lists').where({ pair: pair.pair }).update({ taken: pair.taken + most })
    const keys = issuerKeysAddress(context.settings.baseUrl, issuer.did)
    const [revocation, suspension] = [listAddress(context, pair.revocation), listAddress(context, pair.suspension)]
    for (let at = pair.taken; at < pair.taken + most; at++) {
      places.push({ pair: pair.pair, revocation, suspension, keys, index: shuffled(at, pair.seed) })
    }
  }
  return places
}

async function openPair(trx: Knex, { organization, did }: ListIssuer): Promise<PairRow | undefined> {
  const { rows: [pair] } = await trx.raw<{ rows: PairRow[] }>(
    `select r.pair, r.id as revocation, s.id as suspension, r.seed, r.taken
     from status_lists r join status_lists s on s.pair = r.pair and s.purpose = 'suspension'
       left join certification_keys k on k.id = r.key
     where r.organization = ? and r.issuer = ? and r.purpose = 'revocation' and r.taken < ?
       and k.status is distinct from 'revoked'
     order by r.created_at, r.id limit 1`,
    [organization, did, listLength])
  return pair
}

async function newPair(trx: Knex, { organization, did, key }: ListIssuer): Promise<PairRow> {
  const made = { pair: newId(), revocation: newId(), suspension: newId(), seed: randomBytes(32), taken: 0 }
  const bits = Buffer.alloc(listLength / 8)
  const common = { pair: made.pair, organization, issuer: did, key, seed: made.seed, bits }
  await trx('status_lists').insert([
    { ...common, id: made.revocation, purpose: 'revocation' }, { ...common, id: made.suspension, purpose: 'suspension' },
  ])
  return made
}

/**
 * The n-th index of a list: a permutation under a secret seed, so that none comes twice, no row is kept for each, and
 * neighbours in time are none in the list. A Feistel network over halves of 8 and 9 bits; every round can be undone,
 * whatever it mixes in. Source: Luby and Rackoff, "How to construct pseudorandom permutations", 1988.
 */
export function shuffled(place: number, seed: Buffer): number {
  let upper = place >>> half.lower
  let lower = place & ((1 << half.lower) - 1)
  for (let round = 0; round < rounds; round += 2) {
    upper ^= mixed(seed, round, lower) & ((1 << half.upper) - 1)
    lower ^= mixed(seed, round + 1, upper) & ((1 << half.lower) - 1)
  }
  return (upper << half.lower) | lower
}

function mixed(seed: Buffer, round: number, value: number): number {
  const digest = hash('sha256', Buffer.concat([seed, Uint8Array.of(round, value >>> 8, value & 0xff)]), 'buffer')
  return digest.readUInt16BE(0)
}
