import { expect } from 'chai'
import { createParser } from 'eventsource-parser'
import { request } from 'undici'
import type { ImportJob } from '../../../../core/features/imports/index.ts'
import { platform } from '../../../support/platform.ts'
import { endImport, insertImport, storeProgress } from '../../../support/rows/imports/imports.ts'
import { waitUntil } from '../../../support/processes.ts'
import { getOperator } from '../../identity/people.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildShop, type Shop } from '../../../support/world.ts'

const sse = { accept: 'text/event-stream' }

describe('GET /v1/imports/{id}: progress', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const follow = async (id: string) => {
    const answer = await request(`${platform.api}/v1/imports/${id}/progress`, {
      headers: { ...sse, 'x-api-key': shop.key },
    })
    const seen: ImportJob[] = []
    const parser = createParser({ onEvent: ({ data }) => seen.push(JSON.parse(data) as ImportJob) })
    const ended = (async () => {
      for await (const part of answer.body) parser.feed(String(part))
    })()
    return { seen, ended }
  }

  it('tells the state at once and each change until the end, with the same JSON as the import itself', async () => {
    const { db } = await getOperator()
    const id = await insertImport(db, shop, { status: 'pending', bytes: 100 })
    const { seen, ended } = await follow(id)
    await waitUntil('the state is told at once', () => seen.length === 1)
    expect(seen[0]).to.deep.equal((await shop.api.get(`/v1/imports/${id}`)).body)
    await storeProgress(db, id, { doneBytes: 40, created: 10, completed: 10, total: 10 })
    await waitUntil('the change is told', () => seen.at(-1)?.progress === 0.4)
    expect(seen.at(-1)).to.include({ completed: 10, status: 'pending', finishedAt: null })
    await endImport(db, id, { status: 'completed', doneBytes: 100, result: { created: 10 } })
    await ended
    expect(seen.at(-1)).to.deep.equal((await shop.api.get(`/v1/imports/${id}`)).body)
    expect(seen.at(-1)).to.include({ status: 'completed', progress: 1 })
  })

  it('tells who has seen the end that there is no more, and who takes no events that there is nothing else', async () => {
    const { db } = await getOperator()
    const id = await insertImport(db, shop)
    const whole = await shop.api.get(`/v1/imports/${id}/progress`, { headers: sse })
    const last = /^id: (\d+)$/m.exec(whole.text)?.[1] ?? ''
    const again = await shop.api.get(`/v1/imports/${id}/progress`, { headers: { ...sse, 'last-event-id': last } })
    expect(again.status).to.equal(204)
    expect(
      formatVerdict(await shop.api.get(`/v1/imports/${id}/progress`, { headers: { accept: 'application/json' } })),
    ).to.equal('406 NOT_ACCEPTABLE')
  })
})
