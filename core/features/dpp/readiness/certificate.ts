import type { Work } from '../../../kernel/work.ts'
import type { Finding } from '../open.types.ts'
import type { PassportRow } from '../passports.model.ts'
import { finding } from '../readiness.table.ts'

interface Row { pinned: boolean; key_revoked: boolean; anchored: boolean }

/**
 * Judges the served certificate of a certified passport: verifying says no to one whose key is revoked, unless it was
 * anchored before the key was lost, and to one whose anchor a chain took back.
 */
export async function judgeCertificate({ trx, context }: Work, { id, organization }: PassportRow): Promise<Finding[]> {
  const { rows: [row] } = await trx.raw<{ rows: Row[] }>(
    `select c.pinned_at is not null as pinned, a.id is not null as anchored,
       coalesce(k.status = 'revoked' and (a.anchored_at < k.compromised_at) is not true, false) as key_revoked
     from passports p join passport_credentials c on c.id = p.credential
       left join anchors a on a.id = c.anchor and a.status = 'final' left join certification_keys k on k.id = c.key
     where p.id = ? and p.organization = ?`, [id, organization])
  const found: Finding[] = []
  if (row?.key_revoked) found.push(finding('key_revoked', 'proof.verificationMethod', 'names a key that is revoked, and nothing shows that the certificate is older'))
  if (row && !row.anchored) found.push(finding('anchor_lost', 'anchor', 'does not stand on the chain any more'))
  // Without a node of IPFS the copy beside the database is on the same machine.
  if (context.settings.ipfsApiUrl === undefined || !row?.pinned) {
    found.push(finding('backup_copy_missing', 'ipfsCid', 'is the address of no copy that is kept elsewhere'))
  }
  return found
}
