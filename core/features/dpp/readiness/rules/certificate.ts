import type { Knex } from 'knex'
import type { Context } from '../../../../kernel/work.ts'
import type { Finding } from '../answers.types.ts'
import { createFinding } from '../readiness.table.ts'

/** What is known about the served certificate of a passport. */
export interface CertificateRow {
  passport: string
  pinned: boolean
  key_revoked: boolean
  anchored: boolean
}

/** Reads the served certificates of passports of an organization, by passport. */
export async function readServedCertificates(
  db: Knex,
  organization: string,
  passports: readonly string[],
): Promise<ReadonlyMap<string, CertificateRow>> {
  if (passports.length === 0) return new Map()
  const { rows } = await db.raw<{ rows: CertificateRow[] }>(
    `select p.id as passport, c.pinned_at is not null as pinned, a.id is not null as anchored,
       coalesce(k.status = 'revoked' and (a.anchored_at < k.compromised_at) is not true, false) as key_revoked
     from passports p join passport_credentials c on c.id = p.credential
       left join anchors a on a.id = c.anchor and a.status = 'final' left join certification_keys k on k.id = c.key
     where p.id = any(?::uuid[]) and p.organization = ?`,
    [passports as string[], organization],
  )
  return new Map(rows.map((row) => [row.passport, row]))
}

/**
 * Validates the served certificate of a certified passport. Verification fails for a certificate whose key is revoked,
 * unless it was anchored before the key was compromised, and for one whose anchor a chain took back.
 */
export function validateServedCertificate({ settings }: Context, row: CertificateRow | undefined): Finding[] {
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
  if (settings.ipfsApiUrl === undefined || !row?.pinned) {
    findings.push(createFinding('backup_copy_missing', 'ipfsCid', 'is the address of no copy that is kept elsewhere'))
  }
  return findings
}
