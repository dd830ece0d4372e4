import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { checkDomain, nameDomains, recordOf } from '../../../support/domains.ts'
import { client, type Client } from '../../../support/client.ts'
import { startHosting, type Hosting } from '../../certification/hosting.ts'
import { newShop, type Shop } from '../../passports/fixtures.ts'

const file = '/.well-known/tessera-domain.txt'

describe('Proof of a domain by a file on its host', () => {
  const [host, other] = [`${randomUUID().slice(0, 13)}.example`, `${randomUUID().slice(0, 13)}.example`]
  let hosting: Hosting
  let shop: Shop
  let api: Client
  let value: string
  before(async () => {
    hosting = await startHosting([host, other])
    shop = await newShop()
    const base = hosting.base
    api = client(shop.key, base)
    await nameDomains(shop.api, shop.application, host, `*.${host}`)
    value = (await recordOf(shop.api, shop.application, host)).value
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
    expect(hosting.asked).to.deep.equal([file])
  })

  it('proves its host, and no wildcard', async () => {
    hosting.put(file, `another\r\n${value}\r\n`, 'text/plain')
    expect(await outcome(`*.${host}`)).to.equal('failed record_missing')
    expect(await outcome()).to.equal('proven ')
  })
})
