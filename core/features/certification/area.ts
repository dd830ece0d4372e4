import { retentionReasons } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'
import { checkDomains, didDocumentOperations, didWebOperations } from './did-web/index.ts'
import { certificationProblemCodes } from './problem-codes.ts'
import { createKeyOperations, createKeySettler, issuerKeyOperations, rotateJob } from './rotation/index.ts'
import { startContentMoves } from './storage/index.ts'
import { suiteOperations } from './suites/index.ts'

/** The keys that sign, credentials and their status, and their verification. */
export const certification = area({
  name: 'certification',
  problemCodes: certificationProblemCodes,
  operations: (shared) => [
    ...createKeyOperations(shared),
    ...didWebOperations,
    ...didDocumentOperations,
    ...issuerKeyOperations,
    ...suiteOperations,
  ],
  tags: {
    'Certification keys': 'The keys that sign, their rotation and revocation, and the domain of a did:web.',
  },
  toolset: {
    name: 'certification',
    topics: 'signing, credentials, keys',
    paths: [
      '/v\\d+/dpp/(certification-keys?|certification|credentials|status-lists|contexts)(/|$)',
      '/v\\d+/dpp/passports/(certify|build-vc|validate)$',
      '/v\\d+/dpp/passports/\\{\\w+\\}/(status|anchor|vc\\.jsonld)$',
    ],
  },
  jobs: [rotateJob],
  upkeep: [{ name: 'domains of did:web', run: checkDomains }],
  services: [startContentMoves],
  recordOutcomes: { kinds: ['registerKey', 'rotateKey', 'revokeKey'], createHandler: createKeySettler },
  retentions: () => ({
    certification_settings: retentionReasons.organization,
    did_web_domains: retentionReasons.organization,
    credential_contexts: retentionReasons.evidence,
    status_lists: retentionReasons.evidence,
    status_changes: retentionReasons.evidence,
    certification_keys: retentionReasons.evidence,
    certification_key_registrations: retentionReasons.evidence,
    certification_key_receipts: retentionReasons.evidence,
  }),
})

declare module '../../kernel/words.ts' {
  interface JobTypes {
    rotate: true
  }
  interface AuditActions {
    'certification-key.rotate': true
    'certification-key.revoke': true
    'did-web.set': true
    'did-web.remove': true
  }
}
