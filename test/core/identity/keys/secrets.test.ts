import { expect } from 'chai'
import { createApiKeySecret, hashSecret } from '../../../../core/features/identity/keys/keys.ts'

describe('Secret of a new API key', () => {
  it('says what it is for, and uses every letter in both cases and every digit', () => {
    expect(createApiKeySecret('live')).to.match(/^tsr_live_[A-Za-z0-9]{40}$/)
    const secrets = Array.from({ length: 200 }, () => createApiKeySecret('test'))
    expect(new Set(secrets).size).to.equal(200)
    const characters = new Set(secrets.map((secret) => secret.replace('tsr_test_', '')).join(''))
    expect(characters.size).to.equal(62)
  })

  it('is kept as SHA-256 in base64url', () => {
    expect(hashSecret('secret')).to.equal('K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols')
  })
})
