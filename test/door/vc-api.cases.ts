import { expect } from 'chai'
import type { VcApiAnswer } from './vc-api.ts'
import type { Vc } from '../core/certification/suites/signers.ts'

export const forms = ['eddsa-jcs-2022', 'eddsa-rdfc-2022', 'vc+jwt'] as const
export const issue = '/credentials/issue'
export const verify = '/credentials/verify'

export const bare = (more: Vc = {}): Vc => ({
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  type: ['VerifiableCredential'],
  issuer: 'https://issuer.example/1',
  credentialSubject: { id: 'did:example:subject', name: 'Alice' },
  ...more,
})

/** What an answer says it is by its first problem, with its sentence. */
export function refusal({ status, type, body }: VcApiAnswer): string {
  expect(status, JSON.stringify(body)).to.equal(400)
  expect(type).to.equal('application/problem+json; charset=utf-8')
  expect(body).to.include.keys('type', 'title', 'status', 'detail', 'instance')
  expect(body['status']).to.equal(400)
  const [first] = body.problemDetails ?? []
  return `${String(first?.['type']).replace(/.*#/, '')} ${String(first?.['detail'])}`
}
