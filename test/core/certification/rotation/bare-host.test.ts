import { expect } from 'chai'
import { parseBareHost } from '../../../../core/features/certification/rotation/did-web.domain.ts'

describe('did:web: names of domains', () => {
  it('takes names of this machine and its network in development only', () => {
    for (const name of ['localhost', 'LOCALHOST', 'shop.localhost', 'intranet']) {
      expect(parseBareHost(name, true)).to.equal(name.toLowerCase())
      expect(() => parseBareHost(name, false), name).to.throw('VALIDATION_FAILED')
    }
    expect(parseBareHost('org.example', false)).to.equal('org.example')
  })
})
