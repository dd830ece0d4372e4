import type { Knex } from 'knex'
import { networks, type Network } from '../../../chains/networks.ts'
import type { Context } from '../../../kernel/work.ts'
import { uuidPattern } from '../../../kernel/text/uuid.ts'
import {
  toCanonicalJson,
  hashContent,
  parseCertifiedContent,
  getCredentialAddress,
  VerificationError,
  unknownCredential,
  type CredentialFacts,
  type SecuredCredential,
} from '../../certification/index.ts'
import { computeMerkleRoot } from '../../../kernel/sealing/merkle.ts'

/** The maximum number of versions of one passport with the same content that are read. */
const maxVersions = 10

interface AnchoredVersionRow {
  id: string
  version: number
  served: number | null
  organization: string
  tokenId: string
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

/**
 * The passport for which a credential is served, and the version whose stored bytes it is. `version` is null for a
 * credential that its organization hosts.
 */
export interface ServedFor {
  passport: string
  version: string | null
}

/** What this installation knows about the anchor of a credential. */
export interface AnchorLookup {
  known: CredentialFacts
  describeReceipt: () => string
  /**
   * The address of the newer version that is served; null if the credential is the served version, or not one of ours.
   */
  newer: string | null
}

/**
 * The result for credentials that do not belong to our passports. Where others anchor their credentials is not checked
 * here.
 */
const foreignAnchor: AnchorLookup = {
  known: unknownCredential,
  newer: null,
  describeReceipt: () =>
    'It is no credential of a passport here, and is anchored nowhere that this installation knows of',
}

/**
 * Finds the anchor of a credential that has the address of one of our passports. Its content hash has to be that of a
 * version whose root is final, and the version's Merkle proof has to lead from the hash to that root. The check uses
 * the stored final receipt and not the chain, because receipts are withdrawn when a chain drops their block.
 * @param served the passport and version for which the credential is served, if they are known
 */
export async function findAnchor(
  context: Context,
  secured: SecuredCredential,
  served?: ServedFor,
): Promise<AnchorLookup> {
  const named = parsePassportId(context, secured)
  const passport = served?.passport ?? named
  if (passport === null) return foreignAnchor
  const organization = await findOwner(context.db, passport)
  if (organization === null)
    return createMissingAnchor(unknownCredential, 'It goes by the address of a passport that is not here')
  // A credential that is hosted elsewhere may have another address and another issuer.
  const known: CredentialFacts = { ...unknownCredential, organization: named === null ? null : organization }
  const contentHash = computeContentHash(secured)
  if (contentHash === null) return createMissingAnchor(known, 'It says nothing of a product that could be anchored')
  const rows = await readVersions(context.db, passport, contentHash)
  const issued = rows.find((one) => one.id === served?.version || isSameVersion(one, secured))
  const row = issued ?? rows.find(({ root }) => root !== null)
  if (!row) return createMissingAnchor(known, 'Its content is not what was certified of the passport')
  const same = row === issued
  return {
    known: {
      ...known,
      // The chain has only the content and not the envelope around it. If the envelope differs from the stored one,
      // nothing proves when it was made.
      anchoredAt: same || row.hosted ? row.anchored_at : null,
      statusPosition:
        same && row.status_pair !== null && row.status_index !== null
          ? { pair: row.status_pair, index: row.status_index }
          : null,
    },
    describeReceipt: () => formatReceipt(row, contentHash),
    newer:
      row.served !== null && row.served > row.version
        ? `${getCredentialAddress(context, passport)}?version=${row.served}`
        : null,
  }
}

const createMissingAnchor = (known: CredentialFacts, detail: string): AnchorLookup => ({
  known,
  newer: null,
  describeReceipt: () => {
    throw new VerificationError(detail)
  },
})

/** Parses the passport from the address of its credential; null for any other identifier. */
function parsePassportId(context: Context, { credential: { id } }: SecuredCredential): string | null {
  if (typeof id !== 'string') return null
  const [before = '', after = ''] = getCredentialAddress(context, '|').split('|')
  const passport = id.slice(before.length, id.length - after.length)
  return id.startsWith(before) && id.endsWith(after) && uuidPattern.test(passport) ? passport : null
}

async function findOwner(db: Knex, id: string): Promise<string | null> {
  const row = await db('passports').where({ id }).first<{ organization: string } | undefined>('organization')
  return row?.organization ?? null
}

function computeContentHash({ credential }: SecuredCredential): string | null {
  const content = parseCertifiedContent(credential)
  try {
    return content && hashContent(content)
  } catch {
    return null
  }
}

/** Reads the versions of a passport with this content, the newest first. */
async function readVersions(db: Knex, passport: string, contentHash: string): Promise<AnchoredVersionRow[]> {
  const { rows } = await db.raw<{ rows: AnchoredVersionRow[] }>(
    `select c.id, c.version, c.organization, p.token_id as "tokenId", c.ld, c.jwt, c.rdfc, c.key is null as hosted, c.status_pair, c.status_index, c.proof,
       c.network, a.root, a.transaction_hash, a.anchored_at,
       (select one.version from passport_credentials one where one.id = p.credential) as served
     from passport_credentials c join passports p on p.id = c.passport
       left join anchors a on a.id = c.anchor and a.status = 'final'
     where c.passport = ? and c.content_hash = ? order by c.version desc limit ?`,
    [passport, contentHash, maxVersions],
  )
  return rows
}

/** Checks whether a credential is a version as it was issued; the order of its members does not matter. */
function isSameVersion({ ld, jwt, rdfc }: AnchoredVersionRow, secured: SecuredCredential): boolean {
  if (secured.form === 'jwt') return jwt?.toString('latin1') === secured.token
  const given = toCanonicalJson(secured.credential)
  return [ld, rdfc].some(
    (form) => form !== null && form.length > 0 && toCanonicalJson(JSON.parse(form.toString('utf8'))) === given,
  )
}

/**
 * Describes the receipt of a version in a sentence.
 * @throws VerificationError if the content is not anchored, or its proof does not lead to the root
 */
function formatReceipt(
  { version, served, tokenId, proof, root, network, transaction_hash, anchored_at }: AnchoredVersionRow,
  contentHash: string,
): string {
  // The transaction of the root is on its way, or a chain dropped it and it is sent again. This says nothing against
  // the credential.
  if (root === null || proof === null)
    throw new VerificationError('Its content hash does not stand on a chain yet', { unknown: true })
  if (computeMerkleRoot({ tokenId, contentHash }, proof) !== root)
    throw new VerificationError('Its content hash does not lead to the root that is anchored')
  const receipt = `Its content hash is under the root of transaction ${transaction_hash} on ${network} (${networks[network].caip2}), final since ${anchored_at?.toISOString()}`
  if (version === served) return receipt
  return `${receipt}; the passport ${served === null ? 'is certified no more' : `serves version ${served}, this is ${version}`}`
}
