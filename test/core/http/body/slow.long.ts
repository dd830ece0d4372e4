import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { platform } from '../../../support/platform.ts'
import { buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { getOperator, createUniqueName } from '../../identity/people.ts'
import { formatHead, openRawConnection, type RawConnection } from '../../../support/network/raw.ts'

/** Sends a text piece by piece until it is all sent or the other side has closed. @returns the seconds it took */
async function drip({ send, closed }: RawConnection, text: string, size: number, pause: number): Promise<number> {
  const started = Date.now()
  let over = false
  void closed.then(() => {
    over = true
  })
  for (let at = 0; at < text.length && !over; at += size) {
    send(text.slice(at, at + size))
    await sleep(pause)
  }
  return (Date.now() - started) / 1_000
}

describe('Slow clients', function () {
  this.timeout(300_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const creation = (bytes: number) =>
    formatHead('POST', '/v1/applications', {
      'X-Api-Key': shop.key,
      'Content-Type': 'application/json',
      'Content-Length': bytes,
    })

  it('are answered and disconnected when they need more than 30 s for a head', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => openRawConnection(platform.api)))
    const started = Date.now()
    const dripping = slow.map((one) =>
      drip(one, formatHead('GET', '/health/live', { 'X-Filler': 'x'.repeat(200) }), 1, 1_000),
    )
    await Promise.all(slow.map(({ closed }) => closed))
    expect(Date.now() - started).to.be.within(20_000, 30_000)
    for (const { received } of slow)
      expect(received())
        .to.match(/^HTTP\/1\.1 408 /)
        .and.to.contain('application/problem+json')
    await Promise.all(dripping)
  })

  it('are disconnected when they send a body byte by byte, while others are served', async () => {
    const slow = await Promise.all(Array.from({ length: 300 }, () => openRawConnection(platform.api)))
    const started = Date.now()
    const dripping = slow.map(async (one) => {
      one.send(creation(1_000))
      return drip(one, ' '.repeat(1_000), 1, 1_000)
    })
    let served = 0
    while (Date.now() - started < 15_000) {
      expect((await shop.api.get('/v1/applications')).status).to.equal(200)
      served++
      await sleep(50)
    }
    await Promise.all(slow.map(({ closed }) => closed))
    expect(Date.now() - started).to.be.below(35_000)
    expect(served).to.be.greaterThan(50)
    await Promise.all(dripping)
  })

  it('are waited for as long as their body keeps moving', async () => {
    const body = JSON.stringify({ name: createUniqueName('Slow') }).padEnd(250_000, ' ')
    const one = await openRawConnection(platform.api)
    one.send(creation(body.length))
    expect(await drip(one, body, 5_000, 1_000)).to.be.greaterThan(45)
    expect((await one.answer()).status).to.equal(201)
    one.socket.destroy()
  })

  it('receive a comment at least every 15 s when they only listen', async () => {
    const { db, queue } = await getOperator()
    const sheet = await buildSheet(shop)
    const job = { organization: shop.organization, product: sheet, total: 1, payload: null, isHeld: true }
    const id = await db.transaction((trx) => queue.enqueue(trx, { type: 'mint', ...job }))
    const { send, socket, received } = await openRawConnection(platform.api)
    send(formatHead('GET', `/v1/jobs/${id}/sse`, { 'X-Api-Key': shop.key, Accept: 'text/event-stream' }))
    const heard: number[] = [Date.now()]
    socket.on('data', (part) => {
      if (String(part).includes(':\n\n')) heard.push(Date.now())
    })
    await sleep(60_000)
    socket.destroy()
    const gaps = heard.slice(1).map((at, place) => at - (heard[place] ?? 0))
    expect(gaps.length).to.be.greaterThan(3)
    expect(Math.max(...gaps)).to.be.below(15_000)
    expect(received()).to.contain('id: ')
  })
})
