import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { checkDomain, setDomains, readDomainRecord } from '../../../support/network/domains.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { startHosting, type TestHosting } from '../../certification/did-web/hosting.ts'
import { buildShop, type Shop } from '../../../support/world.ts'

const file = '/.well-known/tessera-domain.txt'

describe('Domains of an application: proof by a file on the host', () => {
  const [host, other] = [`${randomUUID().slice(0, 13)}.example`, `${randomUUID().slice(0, 13)}.example`]
  let hosting: TestHosting
  let shop: Shop
  let api: Client
  let value: string
  before(async () => {
    hosting = await startHosting([host, other])
    shop = await buildShop()
    const base = hosting.base
    api = createApiClient(shop.key, base)
    await setDomains(shop.api, shop.application, host, `*.${host}`)
    value = (await readDomainRecord(shop.api, shop.application, host)).value
  })
  after(() => hosting.stop())
  beforeEach(() => hosting.clear())

  const outcome = async (domain = host) => {
    const { status, reason } = await checkDomain(api, shop.application, domain)
    return `${status} ${reason ?? ''}`
  }

  it('needs the value as a line of its own', async () => {
    expect(await outcome()).to.equal('failed record_missing')
    hosting.put(file, `x${value}`, 'text/plain')
    expect(await outcome()).to.equal('failed file_differs')
  })

  it('is not looked for on another host', async () => {
    hosting.redirect(file, `https://${other}/proof.txt`)
    hosting.put('/proof.txt', value, 'text/plain')
    expect(await outcome()).to.equal('failed record_missing')
    expect(hosting.requestedPaths).to.deep.equal([file])
  })

  it('proves its host, and no wildcard', async () => {
    hosting.put(file, `another\r\n${value}\r\n`, 'text/plain')
    expect(await outcome(`*.${host}`)).to.equal('failed record_missing')
    expect(await outcome()).to.equal('proven ')
  })
})
