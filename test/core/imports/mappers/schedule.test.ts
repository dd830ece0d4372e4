import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ImportJob } from '../../../../core/features/imports/index.ts'
import { fetchMapperSource, startScheduling } from '../../../support/imports/schedules.ts'
import { endImport, insertImport } from '../../../support/rows/imports/imports.ts'
import { moveNextRun } from '../../../support/rows/imports/mappers.ts'
import { waitUntilAnswer } from '../../certification/keys/keys.ts'
import { getOperator } from '../../identity/people.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { buildShop, type Shop } from '../../../support/world.ts'

describe('Mapper: schedules', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  /** A mapper whose source no name server knows. */
  async function scheduled(schedule = '0 6 * * *'): Promise<string> {
    const made = await shop.api.post('/v1/import/mappers', {
      application: shop.application,
      name: randomUUID(),
      type: 'url',
      format: 'csv',
      url: 'https://nobody.invalid/a.csv',
      schedule,
      rows: [{ destination: 'reference', kind: 'field', source: 'ref' }],
    })
    expect(made.status, made.text).to.equal(201)
    return String(made.body.id)
  }
  const runsOf = async (mapper: string) => {
    const listed = getBody<{ data: ImportJob[] }>(
      await shop.api.get('/v1/imports?filters[data.source][eq]=scheduled&filters[name][eq]=batch&pageSize=100'),
    )
    return listed.data.filter(({ data }) => data.mapperId === mapper)
  }
  const nextOf = async (id: string) =>
    Date.parse(String((await shop.api.get(`/v1/import/mappers/${id}`)).body.nextRunAt))
  const makeDue = async (mappers: readonly string[]) =>
    moveNextRun((await getOperator()).db, mappers, { minutes: -5 * 60 })
  /** With one more worker that looks at once. */
  const looking = async (act: () => Promise<unknown>) => {
    const schedules = startScheduling(await getOperator())
    await act()
    await schedules.stop()
  }

  it('run what is due once, however many workers look and however long they were away', async () => {
    const context = await getOperator()
    // No run comes by the clock while the test goes on.
    const inHalfAnHour = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`
    const mappers = await Promise.all(Array.from({ length: 12 }, () => scheduled(inHalfAnHour)))
    await makeDue(mappers)
    const others = [1, 2, 3].map(() => startScheduling(context))
    for (const mapper of mappers) {
      const runs = await waitUntilAnswer(
        () => runsOf(mapper),
        (found) => found.length > 0,
      )
      expect(runs).to.have.length(1)
      expect(runs[0]?.data).to.deep.include({ source: 'scheduled', onDuplicate: 'update', mapperId: mapper })
      const wait = (await nextOf(mapper)) - Date.now()
      expect(wait).to.be.within(-1_000, 60 * 60_000)
    }
    await Promise.all(others.map((one) => one.stop()))
    for (const mapper of mappers) expect(await runsOf(mapper)).to.have.length(1)
  })

  it('leave out a mapper whose last fetch still goes on, until its next time', async () => {
    const { db } = await getOperator()
    const mapper = await scheduled()
    const job = await insertImport(db, shop, {
      status: 'pending',
      source: 'scheduled',
      mapper,
      isMapperRun: true,
      format: null,
    })
    await makeDue([mapper])
    await looking(() =>
      waitUntilAnswer(
        () => nextOf(mapper),
        (next) => next > Date.now(),
      ),
    )
    expect((await runsOf(mapper)).map(({ id }) => id)).to.deep.equal([job])
    await endImport(db, job, { status: 'failed' })
    await makeDue([mapper])
    await looking(() =>
      waitUntilAnswer(
        () => runsOf(mapper),
        (found) => found.length === 2,
      ),
    )
  })

  it('run nothing before its time, nor what has no schedule any more', async () => {
    const [later, none, due] = [await scheduled(), await scheduled(), await scheduled()]
    await moveNextRun((await getOperator()).db, [later], { minutes: 1 })
    await shop.api.patch(`/v1/import/mappers/${none}`, { schedule: null })
    await makeDue([due])
    await looking(() =>
      waitUntilAnswer(
        () => runsOf(due),
        (found) => found.length === 1,
      ),
    )
    expect([await runsOf(later), await runsOf(none)]).to.deep.equal([[], []])
  })

  it('end with a code that says so, when the mapper is deleted before the fetch', async () => {
    const { organization } = shop
    const fetched = fetchMapperSource(await getOperator(), {
      job: randomUUID(),
      organization,
      mapper: randomUUID(),
    })
    expect(await fetched.catch((cause: unknown) => cause)).to.include({ name: 'InitError', code: 'IMPORT_MAPPER_GONE' })
  })
})
