import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { eventually } from '../../support/processes.ts'
import { operator, unique } from '../identity/people.ts'
import { newPassport, newSheet, newShop, verdict, type Shop } from '../passports/fixtures.ts'
import { expectReplay, replayed, stateOf, whileLocked, withKey } from './keys.ts'
import { startSecond, type SecondServer } from './second.ts'

describe('An idempotency key over several processes', function () {
  this.timeout(120_000)
  let shop: Shop
  let second: SecondServer
  before(async () => {
    shop = await newShop()
    second = await startSecond(platform)
  })
  after(() => second.kill())

  it('is the same in each', async () => {
    const elsewhere = client(shop.key, second.api)
    const name = unique('Both')
    const first = await shop.api.post('/v1/applications', { name }, withKey(name))
    expectReplay(first, await elsewhere.post('/v1/applications', { name }, withKey(name)), 201)
    expect(verdict(await elsewhere.post('/v1/applications', { name: 'other' }, withKey(name)))).to.equal(
      '422 IDEMPOTENCY_KEY_REUSED',
    )
  })

  it('of a process that was killed is taken over at once, by the same request only', async () => {
    const doomed = await startSecond(platform)
    const { id } = await newPassport(shop, await newSheet(shop))
    const key = randomUUID()
    const body = { reference: `killed-${id}` }
    await whileLocked('select from passports where id = ? for update', [id], async () => {
      const lost = client(shop.key, doomed.api)
        .patch(`/v1/dpp/passports/${id}`, body, withKey(key))
        .then(
          () => 'answered',
          () => 'lost',
        )
      await eventually('the request holds its key', async () => (await stateOf(key)) === 'running')
      doomed.kill()
      expect(await lost).to.equal('lost')
    })
    const patch = (sent: object) => shop.api.patch(`/v1/dpp/passports/${id}`, sent, withKey(key))
    expect(verdict(await patch({ reference: 'other' }))).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    let taken = await patch(body)
    // The database learns of the death when the connection ends, which takes it a moment.
    await eventually('the key is free', async () => taken.status !== 409 || (taken = await patch(body)).status !== 409, 10_000)
    expect([taken.status, taken.body['reference']]).to.deep.equal([200, body.reference])
    expectReplay(taken, await patch(body), 200)
  })

  it('of a living process stays its own, and whoever asks is told the seconds that its hold lasts', async () => {
    const { id } = await newPassport(shop, await newSheet(shop))
    const key = randomUUID()
    const patch = (base: string) =>
      client(shop.key, base).patch(`/v1/dpp/passports/${id}`, { reference: `held-${id}` }, withKey(key))
    await whileLocked('select from passports where id = ? for update', [id], async (release) => {
      const first = patch(second.api)
      await eventually('the request holds its key', async () => (await stateOf(key)) === 'running')
      const refused = await patch(platform.api)
      expect(verdict(refused)).to.equal('409 IDEMPOTENCY_IN_PROGRESS')
      expect(Number(refused.headers['retry-after'])).to.be.within(30, 60)
      await release()
      expectReplay(await first, await patch(platform.api), 200)
    })
  })

  it('keeps every acknowledged creation over kill -9, and makes none twice when all are sent again', async () => {
    const doomed = await startSecond(platform)
    const keys = Array.from({ length: 60 }, () => unique('crash'))
    const send = (base: string, key: string) =>
      client(shop.key, base).post('/v1/applications', { name: key }, withKey(key))
    const acknowledged = new Map<string, string>()
    const sent = Promise.all(
      keys.map(async (key) => {
        const answer = await send(doomed.api, key).catch(() => null)
        if (answer?.status === 201) acknowledged.set(key, String(answer.body['id']))
        if (acknowledged.size === 15) doomed.kill()
      }),
    )
    await sent
    expect(acknowledged.size).to.be.within(1, keys.length - 1)
    const again = new Map(await Promise.all(keys.map(async (key) => [key, await send(platform.api, key)] as const)))
    for (const [key, answer] of again) {
      expect(answer.status, answer.text).to.equal(201)
      if (acknowledged.has(key))
        expect([answer.body['id'], replayed(answer)]).to.deep.equal([acknowledged.get(key), true])
    }
    const { db } = await operator()
    expect(
      await db('applications')
        .whereIn('name', keys)
        .distinct('name')
        .then((rows) => rows.length),
    ).to.equal(keys.length)
    expect(
      await db('applications')
        .whereIn('name', keys)
        .then((rows) => rows.length),
    ).to.equal(keys.length)
  })
})
