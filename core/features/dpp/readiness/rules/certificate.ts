import type { Work } from '../../../../kernel/work.ts'
import type { Finding } from '../answers.types.ts'
import type { PassportRow } from '../../passports/index.ts'
import { createFinding } from '../readiness.table.ts'

interface CertificateRow {
  pinned: boolean
  key_revoked: boolean
  anchored: boolean
}

/**
 * Checks the served certificate of a certified passport. Verification fails for a certificate whose key is revoked,
 * unless it was anchored before the key was compromised, and for one whose anchor a chain took back.
 */
export async function checkServedCertificate(
  { trx, context }: Work,
  { id, organization }: PassportRow,
): Promise<Finding[]> {
  const {
    rows: [row],
  } = await trx.raw<{ rows: CertificateRow[] }>(
    `select c.pinned_at is not null as pinned, a.id is not null as anchored,
       coalesce(k.status = 'revoked' and (a.anchored_at < k.compromised_at) is not true, false) as key_revoked
     from passports p join passport_credentials c on c.id = p.credential
       left join anchors a on a.id = c.anchor and a.status = 'final' left join certification_keys k on k.id = c.key
     where p.id = ? and p.organization = ?`,
    [id, organization],
  )
  const findings: Finding[] = []
  if (row?.key_revoked)
    findings.push(
      createFinding(
        'key_revoked',
        'proof.verificationMethod',
        'names a key that is revoked, and nothing shows that the certificate is older',
      ),
    )
  if (row && !row.anchored)
    findings.push(createFinding('anchor_lost', 'anchor', 'does not stand on the chain any more'))
  // Without an IPFS node, the copy is on the same machine as the database.
  if (context.settings.ipfsApiUrl === undefined || !row?.pinned) {
    findings.push(createFinding('backup_copy_missing', 'ipfsCid', 'is the address of no copy that is kept elsewhere'))
  }
  return findings
}
