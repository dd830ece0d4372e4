import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { findFreePort } from '../../core/start/ports.ts'
import { platform } from '../support/platform.ts'
import { createSerial } from '../core/dpp/passports/fixtures.ts'
import { buildPassport, buildPublishedPassport, buildSheet, buildShop, type Shop } from '../support/world.ts'
import { compareBodies } from './bodies.ts'
import type { HttpRequest } from './load.ts'

describe('Bench: the raw baseline server', () => {
  let shop: Shop
  let sheet: string
  let rawServer: ChildProcess
  let url: string

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    const port = await findFreePort()
    rawServer = fork(join(import.meta.dirname, 'raw/server.ts'), [`${port}`, platform.database])
    await once(rawServer, 'message')
    url = `http://127.0.0.1:${port}`
  })
  after(() => {
    rawServer.kill()
  })

  /** Compares the answers of both servers, signed with the shop's key. */
  const compareWithRaw = (...requests: HttpRequest[]) => {
    const signed = requests.map((request) => ({
      ...request,
      headers: { 'X-Api-Key': shop.key, 'Content-Type': 'application/json' },
    }))
    return compareBodies({ url: platform.api, requests: signed }, { url, requests: signed })
  }
  const createDraftRequest = (fields: object): HttpRequest => ({
    method: 'POST',
    path: '/v1/dpp/passports',
    body: JSON.stringify({ product: sheet, fields }),
  })

  it('answers a published passport as the API does, to everybody', async () => {
    const { id } = await buildPublishedPassport(shop, sheet, {
      reference: createSerial(),
      certifiedPaths: ['serialNumber'],
    })
    const requests = [{ method: 'GET' as const, path: `/v1/dpp/passports/${id}` }]
    await compareBodies({ url: platform.api, requests }, { url, requests })
  })

  it('lists as the API does, with total and a page to go on to', async () => {
    for (let made = 0; made < 11; made++) await buildPassport(shop, sheet, { allowedClaimEmail: 'buyer@example.com' })
    const query = 'sorters[0][field]=createdAt&sorters[0][order]=desc&pageSize=10'
    const lists = [
      `filters[status][eq]=draft&${query}`,
      `filters[status][eq]=draft&${query}&currentPage=2`,
      `filters[product][eq]=${sheet}&${query}`,
    ]
    await compareWithRaw(...lists.map((each): HttpRequest => ({ method: 'GET', path: `/v1/dpp/passports?${each}` })))
  })

  it('creates as the API does', async () => {
    await compareWithRaw(
      createDraftRequest({
        serialNumber: createSerial(),
        color: 'red',
        size: 3,
        origin: { country: 'FR', year: 2026 },
      }),
    )
  })

  it('is found out when it does not do the same: it judges no values', async () => {
    const failure = await compareWithRaw(createDraftRequest({ color: 'no such color' })).then(
      () => null,
      (cause: Error) => cause.message,
    )
    expect(failure).to.match(/not the same answers[^]*"status":422[^]*"status":201/)
  })
})
