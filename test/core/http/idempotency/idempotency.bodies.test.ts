import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { answerJson } from '../../../../core/kernel/answer.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { integer, object, string } from '../../../../core/kernel/schema.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { waitUntil } from '../../../support/processes.ts'
import {
  findStoredKey,
  insertStoredBodies,
  readStoredText,
  sumStoredBytes,
} from '../../../support/rows/http/idempotency-keys.ts'
import { getOperator, createUniqueName } from '../../identity/people.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { serveApi, type Api } from '../../queue/api.ts'
import { expectReplay, isReplayed, createKeyHeaders } from './keys.ts'

const MiB = 1024 * 1024
const unjudged = { skipsDocumentCheck: true }

describe('Idempotency-Key: stored bodies of answers', function () {
  this.timeout(180_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const countItems = async (itemNumber: string) => {
    const path = `/v1/dpp/passports?filters[product.itemNumber][eq]=${itemNumber}`
    return (await shop.api.get(path, unjudged)).body['total']
  }

  /** Makes a draft whose answer has more than these bytes: as many as its data may have unless stated. */
  const create = (key: string, size = 256 * 1024 - 12, api: Client = shop.api) =>
    api.post(
      '/v1/dpp/passports',
      {
        application: shop.application,
        product: { idGranularity: 'item', name: 'Bag', itemNumber: key },
        data: { story: 'x'.repeat(size) },
      },
      { ...createKeyHeaders(key), ...unjudged },
    )

  it('have at most 256 KiB: a larger one is not kept, and is read again, as it is by then', async () => {
    const key = createUniqueName('large')
    const first = await create(key)
    expect(first.status, first.text.slice(0, 300)).to.equal(201)
    expect(first.bytes.length).to.be.above(256 * 1024)
    const stored = await findStoredKey((await getOperator()).db, key)
    expect([stored?.body, stored?.status, stored?.headers?.['Location']]).to.deep.equal([
      null,
      201,
      first.headers['location'],
    ])
    expectReplay(first, await create(key), 201)
    const reference = createUniqueName('changed')
    expect((await shop.api.patch(`/v1/dpp/passports/${first.body.id}`, { reference })).status).to.equal(200)
    const later = await create(key)
    expect([later.status, isReplayed(later), later.body.reference, later.body.id]).to.deep.equal([
      201,
      true,
      reference,
      first.body.id,
    ])
  })

  it('are not read again for who may not read, nor once their entity is gone: status and Location stay', async () => {
    const writer = createApiClient((await buildKey(shop.organization, { dpp: ['create'] })).key)
    const [mine, theirs] = [createUniqueName('gone'), createUniqueName('unread')]
    const first = await create(mine)
    expect((await shop.api.delete(`/v1/dpp/passports/${first.body.id}`)).status).to.equal(200)
    const unread = await create(theirs, 256 * 1024 - 12, writer)
    for (const [before, again] of [
      [first, await create(mine)],
      [unread, await create(theirs, 256 * 1024 - 12, writer)],
    ] as const) {
      expect([again.status, again.text, isReplayed(again)]).to.deep.equal([201, '', true])
      expect(again.headers['location']).to.equal(before.headers['location'])
    }
    expect([await countItems(mine), await countItems(theirs)]).to.deep.equal([0, 1])
  })

  it('are at most 64 MiB of one organization: the oldest go, and nothing is done twice', async () => {
    const { db } = await getOperator()
    const names = [createUniqueName('oldest'), createUniqueName('newer')] as const
    const first = await create(names[0], 10)
    expect(first.status).to.equal(201)
    await insertStoredBodies(db, { organization: shop.organization, count: 280, bytes: 250 * 1024 })
    const sum = async () => {
      const { stored, counted } = await sumStoredBytes(db, shop.organization)
      expect(stored).to.equal(counted)
      return stored
    }
    expect(await sum()).to.be.above(64 * MiB)
    for (let at = 0; at < 12; at++) {
      const made = await create(`${names[1]} ${at}`, 200 * 1024)
      expect(made.status, made.text.slice(0, 300)).to.equal(201)
    }
    await waitUntil('the oldest have made room', async () => (await sum()) <= 64 * MiB)
    expect((await findStoredKey(db, names[0]))?.body).to.equal(null)
    const again = await create(names[0], 10)
    expect([again.status, again.body.id, isReplayed(again)]).to.deep.equal([201, first.body.id, true])
    expect(await countItems(names[0])).to.equal(1)
  })
})

describe('Idempotency-Key: cookies in a stored answer', () => {
  const caller: Caller = {
    kind: 'key',
    application: null,
    id: randomUUID(),
    organization: randomUUID(),
    permissions: { dpp: ['create'] },
  }
  const secret = 'tessera.session=a-secret-of-one-answer'
  const careless = declareOperation({
    id: 'careless_v1',
    method: 'POST',
    path: '/v1/careless',
    access: 'dpp:create',
    body: object({ field: string('Name of the header field.') }),
    returns: { 201: object({ text: string('Any text.') }) },
    document: { tag: 'Tests', summary: 'Sets a cookie' },
  }).withOutboundHandler(async ({ body }) => answerJson({ text: 'done' }, { [body.field]: secret }))
  let api: Api
  before(async () => {
    api = await serveApi(await getOperator(), [careless])
  })
  after(() => api.stop())

  it('is neither kept nor sent again, however its field is written', async () => {
    for (const field of ['Set-Cookie', 'set-cookie', 'SET-COOKIE']) {
      const key = randomUUID()
      const send = () =>
        createApiClient({}, api.url).post(
          '/v1/careless',
          { field },
          { headers: { ...api.as(caller), 'idempotency-key': key } },
        )
      const [first, second] = [await send(), await send()]
      expect([first.status, second.status, isReplayed(second)]).to.deep.equal([201, 201, true])
      expect(String(first.headers['set-cookie'])).to.equal(secret)
      expect(second.headers['set-cookie'], field).to.equal(undefined)
      expect(await readStoredText((await getOperator()).db, key), field).not.to.contain(secret)
    }
  })
})

describe('Idempotency-Key: an answer without its body of an operation that only reads', () => {
  const caller: Caller = {
    kind: 'key',
    application: null,
    id: randomUUID(),
    organization: randomUUID(),
    permissions: { dpp: ['create'] },
  }
  let calls = 0
  const looking = declareOperation({
    id: 'look_v1',
    method: 'POST',
    path: '/v1/look',
    access: 'dpp:create',
    body: object({ size: integer('How much there is to see.') }),
    returns: { 200: object({ text: string('Any text.') }) },
    document: { tag: 'Tests', summary: 'Look', mcpHints: { readOnlyHint: true } },
  }).withOutboundHandler(async ({ body }) => {
    calls++
    return { text: 'x'.repeat(body.size) }
  })
  let api: Api
  before(async () => {
    api = await serveApi(await getOperator(), [looking])
  })
  after(() => api.stop())

  it('is found again by reading again', async () => {
    for (const [size, readings] of [
      [256 * 1024, 2],
      [100, 1],
    ] as const) {
      calls = 0
      const headers = { ...api.as(caller), 'idempotency-key': randomUUID() }
      const send = () => createApiClient({}, api.url).post('/v1/look', { size }, { headers })
      expectReplay(await send(), await send(), 200)
      expect(calls).to.equal(readings)
    }
  })
})
