import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { createUniqueName } from '../../identity/people.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { expectReplay, isReplayed, readKeyState, runWhilePassportLocked, createKeyHeaders } from './keys.ts'
import { listApplicationNames } from '../serve/application-names.ts'
import { startSecondServer, type SecondServer } from '../../../support/network/second-server.ts'

describe('Idempotency-Key over several processes', function () {
  this.timeout(120_000)
  let shop: Shop
  let second: SecondServer
  before(async () => {
    shop = await buildShop()
    second = await startSecondServer(platform)
  })
  after(() => second.kill())

  it('is the same in each', async () => {
    const elsewhere = createApiClient(shop.key, second.api)
    const name = createUniqueName('Both')
    const first = await shop.api.post('/v1/applications', { name }, createKeyHeaders(name))
    expectReplay(first, await elsewhere.post('/v1/applications', { name }, createKeyHeaders(name)), 201)
    expect(formatVerdict(await elsewhere.post('/v1/applications', { name: 'other' }, createKeyHeaders(name)))).to.equal(
      '422 IDEMPOTENCY_KEY_REUSED',
    )
  })

  it('is taken over at once from a killed process, by the same request only', async () => {
    const doomed = await startSecondServer(platform)
    const { id } = await buildPassport(shop, await buildSheet(shop))
    const key = randomUUID()
    const body = { reference: `killed-${id}` }
    await runWhilePassportLocked(id, async () => {
      const lost = createApiClient(shop.key, doomed.api)
        .patch(`/v1/dpp/passports/${id}`, body, createKeyHeaders(key))
        .then(
          () => 'answered',
          () => 'lost',
        )
      await waitUntil('the request holds its key', async () => (await readKeyState(key)) === 'running')
      doomed.kill()
      expect(await lost).to.equal('lost')
    })
    const patch = (sent: object) => shop.api.patch(`/v1/dpp/passports/${id}`, sent, createKeyHeaders(key))
    expect(formatVerdict(await patch({ reference: 'other' }))).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    let taken = await patch(body)
    // The database learns of the death when the connection ends, which takes it a moment.
    await waitUntil(
      'the key is free',
      async () => taken.status !== 409 || (taken = await patch(body)).status !== 409,
      10_000,
    )
    expect([taken.status, taken.body['reference']]).to.deep.equal([200, body.reference])
    expectReplay(taken, await patch(body), 200)
  })

  it('stays with a living process, and tells others the seconds that its lease lasts', async () => {
    const { id } = await buildPassport(shop, await buildSheet(shop))
    const key = randomUUID()
    const patch = (base: string) =>
      createApiClient(shop.key, base).patch(
        `/v1/dpp/passports/${id}`,
        { reference: `held-${id}` },
        createKeyHeaders(key),
      )
    await runWhilePassportLocked(id, async (release) => {
      const first = patch(second.api)
      await waitUntil('the request holds its key', async () => (await readKeyState(key)) === 'running')
      const refused = await patch(platform.api)
      expect(formatVerdict(refused)).to.equal('409 IDEMPOTENCY_IN_PROGRESS')
      expect(Number(refused.headers['retry-after'])).to.be.within(30, 60)
      await release()
      expectReplay(await first, await patch(platform.api), 200)
    })
  })

  it('keeps every acknowledged creation over kill -9, and makes none twice when all are sent again', async () => {
    const doomed = await startSecondServer(platform)
    const keys = Array.from({ length: 60 }, () => createUniqueName('crash'))
    const send = (base: string, key: string) =>
      createApiClient(shop.key, base).post('/v1/applications', { name: key }, createKeyHeaders(key))
    const acknowledged = new Map<string, string>()
    const sent = Promise.all(
      keys.map(async (key) => {
        const answer = await send(doomed.api, key).catch(() => null)
        if (answer?.status === 201) acknowledged.set(key, String(answer.body['id']))
        if (acknowledged.size === 3) doomed.kill()
      }),
    )
    await sent
    expect(acknowledged.size).to.be.within(1, keys.length - 1)
    // A busy machine refuses some of many requests at once: the same key makes them again, and none twice.
    const sendUntilTaken = async (key: string) => {
      let answer = await send(platform.api, key)
      await waitUntil('it is taken', async () => {
        if (answer.status === 503) answer = await send(platform.api, key)
        return answer.status !== 503
      })
      return answer
    }
    const again = new Map(await Promise.all(keys.map(async (key) => [key, await sendUntilTaken(key)] as const)))
    for (const [key, answer] of again) {
      expect(answer.status, answer.text).to.equal(201)
      if (acknowledged.has(key))
        expect([answer.body['id'], isReplayed(answer)]).to.deep.equal([acknowledged.get(key), true])
    }
    const created = (await listApplicationNames(shop.api)).filter((name) => keys.includes(name))
    expect(new Set(created).size).to.equal(keys.length)
    expect(created).to.have.length(keys.length)
  })
})
