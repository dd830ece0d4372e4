import { expect } from 'chai'
import { toIpNetwork } from '../../../core/kernel/request/ip-network.ts'
import { getOwnOrigins, getRequestSite } from '../../../core/kernel/request/origin.ts'
import { getRequestHost } from '../../../core/kernel/request/request-host.ts'

describe('Network of an address', () => {
  it('is the address itself for IPv4, also where IPv6 carries it', () => {
    expect(['192.0.2.7', '::ffff:192.0.2.7', 'unix'].map(toIpNetwork)).to.deep.equal(['192.0.2.7', '192.0.2.7', 'unix'])
  })

  it('is the /64 of an IPv6 address, without its zone', () => {
    for (const address of ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', '2001:DB8:1:2::1%eth0'])
      expect(toIpNetwork(address), address).to.equal('2001:db8:1:2::/64')
    expect(toIpNetwork('fe80::1%lo')).to.equal('fe80:0:0:0::/64')
  })

  it('is what was sent if that is no address', () => {
    expect(toIpNetwork('not:an:address')).to.equal('not:an:address')
  })
})

describe('Site of a request', () => {
  const own = getOwnOrigins({ baseUrl: 'https://api.example/x', publicUrl: 'https://www.example:8443' })
  const siteOf = (headers: Record<string, string | string[]>) => getRequestSite(headers, own)

  it('is that of Origin, before all others', () => {
    expect(siteOf({ origin: 'https://api.example', 'sec-fetch-site': 'cross-site' })).to.equal('own')
    expect(siteOf({ origin: 'https://www.example:8443' })).to.equal('own')
    for (const origin of ['https://www.example', 'null', 'https://api.example/x', ['https://api.example', 'null']])
      expect(siteOf({ origin, 'sec-fetch-site': 'same-origin' }), String(origin)).to.equal('foreign')
  })

  it('is that of Sec-Fetch-Site without an Origin', () => {
    expect(siteOf({ 'sec-fetch-site': 'same-origin', referer: 'https://evil.example/' })).to.equal('own')
    expect(siteOf({ 'sec-fetch-site': 'none' })).to.equal('none')
    for (const site of ['cross-site', 'same-site', ['same-origin', 'same-origin']])
      expect(siteOf({ 'sec-fetch-site': site, referer: 'https://api.example/' }), String(site)).to.equal('foreign')
  })

  it('is that of Referer without both, and none without all three', () => {
    expect(siteOf({ referer: 'https://api.example/console' })).to.equal('own')
    expect(siteOf({ referer: 'https://evil.example/' })).to.equal('foreign')
    expect(siteOf({ referer: 'no address' })).to.equal('foreign')
    expect(siteOf({})).to.equal('none')
  })
})

describe('Host of a request', () => {
  it('is in lower case and without a port', () => {
    expect(getRequestHost({ headers: { host: 'API.Example:8080' } }, false)).to.equal('api.example')
    expect(getRequestHost({ headers: {} }, true)).to.equal('')
  })

  it('is the last forwarded one where proxies are trusted, and only there', () => {
    const headers = { host: 'inner:1', 'x-forwarded-host': 'first.example, Last.Example:443' }
    expect(getRequestHost({ headers }, true)).to.equal('last.example')
    expect(getRequestHost({ headers }, false)).to.equal('inner')
    expect(getRequestHost({ headers: { host: 'inner:1' } }, true)).to.equal('inner')
  })
})
