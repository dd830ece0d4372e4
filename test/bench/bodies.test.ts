import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../../core/start/ports.ts'
import { platform } from '../support/platform.ts'
import { newPassport, newPublished, newSerial, newSheet, newShop, type Shop } from '../core/passports/fixtures.ts'
import { compareBodies } from './bodies.ts'
import type { HttpRequest } from './load.ts'

describe('The raw server that the API is measured against', () => {
  let shop: Shop
  let sheet: string
  let raw: ChildProcess
  let url: string

  before(async () => {
    shop = await newShop()
    sheet = await newSheet(shop)
    const port = await freePort()
    raw = fork(join(import.meta.dirname, 'raw/server.ts'), [`${port}`, platform.database])
    await once(raw, 'message')
    url = `http://127.0.0.1:${port}`
  })
  after(() => {
    raw.kill()
  })

  /** Asks both, signed with the shop's key. */
  const same = (...requests: HttpRequest[]) => {
    const signed = requests.map((request) => ({
      ...request,
      headers: { 'X-Api-Key': shop.key, 'Content-Type': 'application/json' },
    }))
    return compareBodies({ url: platform.api, requests: signed }, { url, requests: signed })
  }
  const create = (fields: object): HttpRequest => ({
    method: 'POST',
    path: '/v1/dpp/passports',
    body: JSON.stringify({ product: sheet, fields }),
  })

  it('answers a published passport as the API does, to everybody', async () => {
    const { id } = await newPublished(shop, sheet, { reference: newSerial(), certifiedPaths: ['serialNumber'] })
    const requests = [{ method: 'GET' as const, path: `/v1/dpp/passports/${id}` }]
    await compareBodies({ url: platform.api, requests }, { url, requests })
  })

  it('lists as the API does, with total and a page to go on to', async () => {
    for (let made = 0; made < 11; made++) await newPassport(shop, sheet, { allowedClaimEmail: 'buyer@example.com' })
    const query = 'sorters[0][field]=createdAt&sorters[0][order]=desc&pageSize=10'
    const lists = [
      `filters[status][eq]=draft&${query}`,
      `filters[status][eq]=draft&${query}&currentPage=2`,
      `filters[product][eq]=${sheet}&${query}`,
    ]
    await same(...lists.map((each): HttpRequest => ({ method: 'GET', path: `/v1/dpp/passports?${each}` })))
  })

  it('creates as the API does', async () => {
    await same(create({ serialNumber: newSerial(), color: 'red', size: 3, origin: { country: 'FR', year: 2026 } }))
  })

  it('is found out when it does not do the same: it judges no values', async () => {
    const failure = await same(create({ color: 'no such color' })).then(
      () => null,
      (cause: Error) => cause.message,
    )
    expect(failure).to.match(/not the same answers[^]*"status":422[^]*"status":201/)
  })
})
