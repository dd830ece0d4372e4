import { expect } from 'chai'
import type { Context as KoaContext } from 'koa'
import { createHostCheck } from '../../../../core/http/heads/known-hosts.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import type { Context } from '../../../../core/kernel/work.ts'

const settings = {
  baseUrl: 'https://tessera.example',
  publicUrl: 'https://id.example:8443',
  apiUrl: 'https://api.example',
  allowedHosts: ['internal', '10.0.0.7'],
  host: '192.168.1.5',
  production: true,
}

/** Creates a check for which `proven.example` is the only proven host, and that records for which hosts it looks up. */
function createCheck(more: Partial<typeof settings> = {}) {
  const lookups: string[] = []
  const checkHost = createHostCheck({ settings: { ...settings, ...more } } as unknown as Context, async (host) => {
    lookups.push(host)
    return host === 'proven.example'
  })
  const ask = async (host: string, path = '/v1/me') => {
    lookups.length = 0
    const verdict = await (async () => checkHost({ host, path } as KoaContext))().then(
      () => 'accepted',
      ({ code }: ProblemError) => code,
    )
    return [verdict, ...lookups]
  }
  return { ask }
}

const accepted = ['accepted']
const refused = ['MISDIRECTED_REQUEST']

describe('421 MISDIRECTED_REQUEST: the Host of a request', () => {
  it('is accepted if it is configured, in any case and with any port', async () => {
    const { ask } = createCheck()
    for (const host of [
      'tessera.example',
      'TESSERA.example:443',
      'id.example',
      'api.example:1',
      'internal',
      '10.0.0.7:80',
    ])
      expect([await ask(host), await ask(host)], host).to.deep.equal([accepted, accepted])
  })

  it('is accepted if an organization has proven it', async () => {
    const { ask } = createCheck()
    expect(await ask('Proven.example:8080')).to.deep.equal(['accepted', 'proven.example'])
    expect(await ask('other.example')).to.deep.equal([...refused, 'other.example'])
    expect(await ask('localhost')).to.deep.equal([...refused, 'localhost'])
    expect(await ask('a.localhost')).to.deep.equal([...refused, 'a.localhost'])
  })

  it('is refused without a look-up if nobody can prove it: an address, or what is no host', async () => {
    const { ask } = createCheck()
    for (const host of [
      '127.0.0.1',
      '10.0.0.8:80',
      '[::1]',
      '[::1]:80',
      'a..example',
      'a.example:',
      'a.example:123456',
      'é',
    ])
      expect(await ask(host), host).to.deep.equal(refused)
  })

  it('may be anything for a health check, and nothing in HTTP/1.0', async () => {
    const { ask } = createCheck()
    expect(await ask('127.0.0.1', '/health/live')).to.deep.equal(accepted)
    expect(await ask('127.0.0.1', '/v1/health/live')).to.deep.equal(refused)
    expect(await ask('')).to.deep.equal(accepted)
  })

  it('may be a name or an address of this machine outside production', async () => {
    const { ask } = createCheck({ production: false })
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000', '192.168.1.5', 'a.b.localhost'])
      expect(await ask(host), host).to.deep.equal(accepted)
    expect(await ask('192.168.1.6')).to.deep.equal(refused)
    expect(await createCheck({ production: false, host: 'fe80::5' }).ask('[fe80::5]')).to.deep.equal(accepted)
  })
})
