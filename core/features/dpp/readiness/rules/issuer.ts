import type { Work } from '../../../../kernel/work.ts'
import { findDidDocumentWarning } from '../../../certification/index.ts'
import type { Finding } from '../answers.types.ts'
import { createFinding } from '../readiness.table.ts'

const path = 'issuer.id'

/**
 * Checks whether the organization signs under a domain whose DID document has a problem, so that others cannot verify
 * what it signs.
 */
export async function checkIssuer({ trx, context }: Work, organization: string): Promise<Finding[]> {
  const documentFault = await findDidDocumentWarning(trx, context, organization)
  if (documentFault === null) return []
  const { kind, domain, since } = documentFault
  return kind === 'missing'
    ? [
        createFinding(
          'did_document_missing',
          path,
          `is did:web:${domain}, whose document has not been as verifiers need it since ${since.toISOString()}`,
        ),
      ]
    : [
        createFinding(
          'did_document_lacks_key',
          path,
          `is did:web:${domain}, whose document does not have the active key yet, so nothing is signed`,
        ),
      ]
}
