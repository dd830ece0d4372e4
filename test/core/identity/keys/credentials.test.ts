import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { parseRequestCredential } from '../../../../core/features/identity/keys/credentials.ts'

const key = `tsr_test_${'k'.repeat(40)}`
const otherKey = `tsr_live_${'K'.repeat(40)}`
const [token, otherToken] = ['t'.repeat(32), 'T'.repeat(32)]

/** The credential of a request; of a refusal its code alone. */
function read(headers: Record<string, string | string[]>): unknown {
  const credential = parseRequestCredential(headers)
  return credential.kind === 'refused' ? credential.problem.code : credential
}
const byCookie = (cookie: string | string[]) => read({ cookie })
const none = { kind: 'none' }

describe('Credential of a request: keys and Bearer tokens', () => {
  it('is a key wherever it stands, with spaces around it or sent twice', () => {
    for (const headers of [
      { 'x-api-key': key },
      { 'x-api-key': ` ${key} ` },
      { 'x-api-key': `${key} , ${key}` },
      { 'x-api-key': [key, key] },
      { authorization: `Bearer ${key}` },
      { authorization: ` bEARER  ${key} `, 'x-api-key': key },
      { authorization: `Bearer ${token}`, 'x-api-key': key, cookie: `tessera.user=${token}` },
    ])
      expect(read(headers), JSON.stringify(headers)).to.deep.equal({ kind: 'key', key })
    expect(read({ 'x-api-key': otherKey })).to.deep.equal({ kind: 'key', key: otherKey })
  })

  it('is refused as a key that is empty, misspelled, without its scheme, or one of two', () => {
    for (const headers of [
      { 'x-api-key': '' },
      { 'x-api-key': `${key}k` },
      { 'x-api-key': `x${key}` },
      { 'x-api-key': key.replace('test', 'else') },
      { 'x-api-key': `${key},${otherKey}` },
      { 'x-api-key': `${key},${key},${otherKey}` },
      { 'x-api-key': key, authorization: `Bearer ${otherKey}` },
      { authorization: key },
      { authorization: `${key} ${token}` },
      { authorization: 'Bearer tsr_' },
    ])
      expect(read(headers), JSON.stringify(headers)).to.equal('AUTH_INVALID_API_KEY')
  })

  it('is a Bearer token, before any cookie, and refused where it is none of ours', () => {
    expect(read({ authorization: `Bearer ${token}`, cookie: `tessera.user=${otherToken}` })).to.deep.equal({
      kind: 'bearer',
      token,
    })
    for (const authorization of ['Bearer', 'bearer ', `Bearer ${token}x`, `Bearer x${token}`, `Bearer ${token}, x`])
      expect(read({ authorization, cookie: `tessera.user=${token}` }), authorization).to.equal('AUTH_UNAUTHENTICATED')
    expect(read({ authorization: [`Bearer ${token}`, `Bearer ${token}`] })).to.equal('AUTH_UNAUTHENTICATED')
  })

  it('is none with another scheme, which leaves the cookies', () => {
    for (const authorization of ['', ' ', 'Basic x', `Token ${token}`]) {
      expect(read({ authorization }), authorization).to.deep.equal(none)
      expect(read({ authorization, cookie: `tessera.user=${token}` }), authorization).to.deep.equal({
        kind: 'cookies',
        tokens: { endUser: token },
      })
    }
  })
})

describe('Credential of a request: cookies', () => {
  it('are one for members and one for buyers, beside others and with spaces', () => {
    expect(byCookie(`tessera.session=${token}`)).to.deep.equal({ kind: 'cookies', tokens: { member: token } })
    expect(byCookie(`a=1;  tessera.user = ${otherToken} ;b`)).to.deep.equal({
      kind: 'cookies',
      tokens: { endUser: otherToken },
    })
    expect(byCookie([`tessera.user=${otherToken}`, `tessera.session=${token}`])).to.deep.equal({
      kind: 'cookies',
      tokens: { member: token, endUser: otherToken },
    })
  })

  it('count by the first of one name, whatever has no name or no value', () => {
    const first = { kind: 'cookies', tokens: { endUser: token } }
    expect(byCookie(`tessera.user=${token}; tessera.user=${otherToken}`)).to.deep.equal(first)
    expect(byCookie(`=x; tessera.user; tessera.user=${token}`)).to.deep.equal(first)
    expect(byCookie(`tessera.user=; tessera.user=${token}`)).to.deep.equal(none)
  })

  it('are none of ours with another spelling of the token', () => {
    for (const value of ['', 'x', `${token}x`, `${token}=`, `"${token}"`]) {
      expect(byCookie(`tessera.session=${value}`), value).to.deep.equal(none)
      expect(byCookie(`tessera.session=${value}; tessera.user=${token}`), value).to.deep.equal({
        kind: 'cookies',
        tokens: { endUser: token },
      })
    }
    for (const cookie of ['', 'a=1', `Tessera.user=${token}`]) expect(byCookie(cookie), cookie).to.deep.equal(none)
    expect(read({})).to.deep.equal(none)
  })
})
