import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { redactPath } from '../../../../core/http/serve/redact-path.ts'

describe('Paths in the log', () => {
  it('show names and ids, and nothing that is long enough to be a secret', () => {
    const id = randomUUID()
    expect(redactPath(`/v1/dpp/passports/${id}/magic-token`)).to.equal(`/v1/dpp/passports/${id}/magic-token`)
    expect(redactPath(`/claim/${'s'.repeat(20)}`)).to.equal(`/claim/${'s'.repeat(20)}`)
    expect(redactPath(`/claim/${'s'.repeat(21)}/page`)).to.equal('/claim/…/page')
  })

  it('end after 200 characters', () => {
    expect(redactPath('/part'.repeat(100))).to.equal('/part'.repeat(40))
  })
})
