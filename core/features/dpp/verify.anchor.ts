import type { Knex } from 'knex'
import { networks, type Network } from '../../chains/networks.ts'
import type { Context } from '../../kernel/work.ts'
import { uuidText } from '../../kernel/uuid.ts'
import {
  canonical, contentHash, contentOf, credentialAddress, Doubt, unknownCredential, type Known, type Secured,
} from '../certification/index.ts'
import { rootOf } from './anchors.merkle.ts'

/** Versions of one passport that say the same. */
const mostVersions = 10

interface Row {
  id: string
  version: number
  served: number | null
  organization: string
  token_id: string
  ld: Buffer | null
  jwt: Buffer | null
  rdfc: Buffer | null
  hosted: boolean
  status_pair: string | null
  status_index: number | null
  proof: Buffer | null
  network: Network
  root: string | null
  transaction_hash: string | null
  anchored_at: Date | null
}

/** The passport that a credential is served for, and the version whose own bytes it is: null where somebody hosts it. */
export interface ServedFor { passport: string; version: string | null }

/** What of a credential stands on a chain, as far as it is known here. */
export interface AnchorFound {
  known: Known
  look: () => string
  /** Address of the version that took its place; null where it is the served one, or none of ours. */
  newer: string | null
}

/** Of credentials that are none of our passports: what others anchor is theirs to look at. */
const foreign: AnchorFound = {
  known: unknownCredential,
  newer: null,
  look: () => 'It is no credential of a passport here, and is anchored nowhere that this installation knows of',
}

/**
 * Looks where a credential is anchored that goes by the address of one of our passports. Its content hash has to be
 * that of a version whose root is final, and the version's Merkle proof has to lead from it to that root. The final
 * receipt that is stored counts, the chain is not asked: receipts are taken back when a chain forgets their block.
 * @param served what it is served for, where that is known
 */
export async function anchorOf(context: Context, secured: Secured, served?: ServedFor): Promise<AnchorFound> {
  const named = passportOf(context, secured)
  const passport = served?.passport ?? named
  if (passport === null) return foreign
  const organization = await ownerOf(context.db, passport)
  if (organization === null) return missing(unknownCredential, 'It goes by the address of a passport that is not here')
  // One that is hosted elsewhere may have another address, and another issuer.
  const known: Known = { ...unknownCredential, organization: named === null ? null : organization }
  const hash = hashOf(secured)
  if (hash === null) return missing(known, 'It says nothing of a product that could be anchored')
  const rows = await versionsOf(context.db, passport, hash)
  const issued = rows.find((one) => one.id === served?.version || isSame(one, secured))
  const row = issued ?? rows.find(({ root }) => root !== null)
  if (!row) return missing(known, 'Its content is not what was certified of the passport')
  const same = row === issued
  return {
    known: {
      ...known,
      // What surrounds the content is not on the chain: of another envelope nothing says when it was made.
      anchoredAt: same || row.hosted ? row.anchored_at : null,
      place: same && row.status_pair !== null && row.status_index !== null ? { pair: row.status_pair, index: row.status_index } : null,
    },
    look: () => receiptIn(row, hash),
    newer: row.served !== null && row.served > row.version
      ? `${credentialAddress(context, passport)}?version=${row.served}` : null,
  }
}

const missing = (known: Known, detail: string): AnchorFound => ({ known, newer: null, look: () => { throw new Doubt(detail) } })

/** The passport that an identifier is the address of, or null. */
function passportOf(context: Context, { credential: { id } }: Secured): string | null {
  if (typeof id !== 'string') return null
  const [before = '', after = ''] = credentialAddress(context, '|').split('|')
  const passport = id.slice(before.length, id.length - after.length)
  return id.startsWith(before) && id.endsWith(after) && uuidText.test(passport) ? passport : null
}

async function ownerOf(db: Knex, id: string): Promise<string | null> {
  const row = await db('passports').where({ id }).first<{ organization: string } | undefined>('organization')
  return row?.organization ?? null
}

function hashOf({ credential }: Secured): string | null {
  const content = contentOf(credential)
  try {
    return content && contentHash(content)
  } catch {
    return null
  }
}

/** Versions of a passport with this content, the newest first. */
async function versionsOf(db: Knex, passport: string, hash: string): Promise<Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select c.id, c.version, c.organization, p.token_id, c.ld, c.jwt, c.rdfc, c.key is null as hosted, c.status_pair, c.status_index, c.proof,
       c.network, a.root, a.transaction_hash, a.anchored_at,
       (select one.version from passport_credentials one where one.id = p.credential) as served
     from passport_credentials c join passports p on p.id = c.passport
       left join anchors a on a.id = c.anchor and a.status = 'final'
     where c.passport = ? and c.content_hash = ? order by c.version desc limit ?`, [passport, hash, mostVersions])
  return rows
}

/** Whether it is the version as it was issued, its members in whatever order. */
function isSame({ ld, jwt, rdfc }: Row, secured: Secured): boolean {
  if (secured.form === 'jwt') return jwt?.toString('latin1') === secured.token
  const given = canonical(secured.credential)
  return [ld, rdfc].some((form) => form !== null && form.length > 0 && canonical(JSON.parse(form.toString('utf8'))) === given)
}

/** @throws Doubt */
function receiptIn({ version, served, token_id, proof, root, network, transaction_hash, anchored_at }: Row, hash: string): string {
  // Its transaction is on its way, or a chain has forgotten it and is asked again: that says nothing against it.
  if (root === null || proof === null) throw new Doubt('Its content hash does not stand on a chain yet', { unknown: true })
  if (rootOf({ tokenId: token_id, contentHash: hash }, proof) !== root) throw new Doubt('Its content hash does not lead to the root that is anchored')
  const receipt = `Its content hash is under the root of transaction ${transaction_hash} on ${network} (${networks[network].caip2}), final since ${anchored_at?.toISOString()}`
  if (version === served) return receipt
  return `${receipt}; the passport ${served === null ? 'is certified no more' : `serves version ${served}, this is ${version}`}`
}
