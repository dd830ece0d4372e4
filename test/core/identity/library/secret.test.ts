import { expect } from 'chai'
import { hashForRealm, type AuthContext, type Realm } from '../../../../core/features/identity/auth.ts'

const realm: Realm = { kind: 'endUser', application: '01a1f94a-0000-7000-8000-000000000000' }
const secret = { sessionSecret: 'a secret' }
const hash = (settings: object, one = realm) => hashForRealm({ settings } as AuthContext, one, 'text')

describe('Sign-in library: its secret', () => {
  const keyEncryptionKey = Buffer.alloc(32, 1).toString('base64')

  it('is the one of sessions, or else derived from the key of keys', () => {
    expect(hash(secret)).to.equal(hash({ ...secret, keyEncryptionKey }))
    expect(hash(secret)).to.equal('xIzqOUPSJc5QGj9eLmvSIU6tnzgVitz3xY44Q8hgbgY')
    expect(hash({ keyEncryptionKey })).to.equal('BQW7dKSeqjYL33-st1JxNdcR8_MJo8CthhYt223ynEY')
    expect(() => hash({})).to.throw('SESSION_SECRET')
  })

  it('hashes a text otherwise in another realm', () => {
    const realms: Realm[] = [realm, { ...realm, application: 'x' }, { kind: 'member', application: null }]
    expect(new Set(realms.map((one) => hash(secret, one))).size).to.equal(3)
  })
})
