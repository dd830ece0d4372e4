import type { Work } from '../../../kernel/work.ts'
import { documentFaultOf } from '../../certification/index.ts'
import type { Finding } from '../open.types.ts'
import { finding } from '../readiness.table.ts'

const path = 'issuer.id'

/** Finds that the organization signs under a domain whose document does not let others verify it. */
export async function judgeIssuer({ trx, context }: Work, organization: string): Promise<Finding[]> {
  const fault = await documentFaultOf(trx, context, organization)
  if (fault === null) return []
  const { kind, domain, since } = fault
  return kind === 'missing'
    ? [finding('did_document_missing', path, `is did:web:${domain}, whose document has not been as verifiers need it since ${since.toISOString()}`)]
    : [finding('did_document_lacks_key', path, `is did:web:${domain}, whose document does not have the active key yet, so nothing is signed`)]
}
