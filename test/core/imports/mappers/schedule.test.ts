import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { fetchSource } from '../../../../core/features/imports/engine/fetch.ts'
import { findNextRun, findScheduleIssue } from '../../../../core/features/imports/mappers/schedule.cron.ts'
import { startSchedules } from '../../../../core/features/imports/mappers/schedule.ts'
import type { ImportJob } from '../../../../core/features/imports/index.ts'
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
  const makeDue = async (ids: string[], at = "now() - interval '5 hours'") => {
    const { db } = await getOperator()
    await db('import_mappers')
      .whereIn('id', ids)
      .update({ next_run_at: db.raw(at) })
  }
  /** With one more worker that looks at once. */
  const looking = async (act: () => Promise<unknown>) => {
    const schedules = startSchedules((await getOperator()) as never)
    await act()
    await schedules.stop()
  }

  it('run what is due once, however many workers look and however long they were away', async () => {
    const context = await getOperator()
    // No run comes by the clock while the test goes on.
    const inHalfAnHour = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`
    const mappers = await Promise.all(Array.from({ length: 12 }, () => scheduled(inHalfAnHour)))
    await makeDue(mappers)
    const others = [1, 2, 3].map(() => startSchedules(context as never))
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
    const job = randomUUID()
    await db('jobs').insert({
      id: job,
      type: 'import',
      organization: shop.organization,
      total: 0,
      payload: '{}',
      due_at: db.raw("now() + interval '1 hour'"),
    })
    await db('imports').insert({
      job,
      organization: shop.organization,
      application: shop.application,
      name: 'batch',
      source: 'scheduled',
      mapper,
      run: true,
    })
    await makeDue([mapper])
    await looking(() =>
      waitUntilAnswer(
        () => nextOf(mapper),
        (next) => next > Date.now(),
      ),
    )
    expect((await runsOf(mapper)).map(({ id }) => id)).to.deep.equal([job])
    await db('imports').where({ job }).update({ finished_at: db.fn.now() })
    await db('jobs').where({ id: job }).update({ status: 'failed' })
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
    await makeDue([later], "now() + interval '1 minute'")
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
    const fetched = fetchSource((await getOperator()) as never, {
      job: randomUUID(),
      organization,
      mapper: randomUUID(),
    })
    expect(await fetched.catch((cause: unknown) => cause)).to.include({ name: 'InitError', code: 'IMPORT_MAPPER_GONE' })
  })

  it('come when cron says, in UTC', () => {
    const next = (schedule: string, after: string) => findNextRun(schedule, new Date(after))?.toISOString()
    expect(next('0 6 * * *', '2026-03-29T05:59:59Z')).to.equal('2026-03-29T06:00:00.000Z')
    expect(next('0 6 * * *', '2026-03-29T06:00:00Z')).to.equal('2026-03-30T06:00:00.000Z')
    expect(next('30 2 * * SUN', '2026-03-28T00:00:00Z')).to.equal('2026-03-29T02:30:00.000Z')
    expect(next('0 0 13 * 5', '2026-01-01T00:00:00Z')).to.equal('2026-01-02T00:00:00.000Z')
  })

  it('are validated however rarely or often they come', () => {
    const issues: Record<string, string | undefined> = {
      '*/15 * * * *': undefined,
      '*/15 */2 1-31 1-12 0-6': undefined,
      '0 0 29 2 *': undefined,
      '0 0 30 2 *': 'names a day that never comes',
      '*/1,*/2,*/3 * * * *': 'comes more often than every 15 minutes',
      '0,15,30,45 0-23 * * *': undefined,
      '59 23 31 12 *': undefined,
    }
    for (const [schedule, issue] of Object.entries(issues))
      expect(findScheduleIssue(schedule, new Date()), schedule).to.equal(issue)
  })
})
