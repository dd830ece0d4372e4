import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { listNearLimits, type NearLimit } from '../../meters/index.ts'
import { startRepetition } from '../../queue/upkeep/repeat.ts'
import { appendToTrail, type TrailActor } from '../audit/index.ts'
import { quotaMails } from './quota-notices.mail.ts'

/** The parts of a limit at which an organization is told, in per cent. */
const noticePercents = [80, 100] as const

/** Interval between two looks for meters that come near their limits, in milliseconds. */
const noticeIntervalMs = 15_000

/** In the trail, what no person did stands under the operator's name. */
const platformActor: TrailActor = {
  kind: 'operator',
  id: 'quota-notices',
  label: 'Platform',
  address: null,
  requestId: null,
}

/** Starts what tells organizations that they come near their limits. Any number of workers can do it. */
export const startQuotaNotices = (context: Context): { stop(): Promise<void> } =>
  startRepetition(
    noticeIntervalMs,
    () => tellNearLimits(context),
    (cause) => context.log.error({ err: cause }, 'the look for meters near their limits failed'),
  )

/** A meter near its limit, with the largest part that is reached. */
interface ReachedLimit extends NearLimit {
  percent: number
}

/**
 * Tells the owners of organizations once a month, by a mail and an entry of the audit trail, that 80 % and that 100 % of
 * a limit are used. When a plan allows more, its parts are told again.
 */
async function tellNearLimits(context: Context): Promise<void> {
  const [smallest] = noticePercents
  const reached = (await listNearLimits(context.db, context.meters.table, smallest)).map((near) => ({
    ...near,
    percent: noticePercents.findLast((percent) => near.used * 100 >= near.limit * percent) ?? smallest,
  }))
  for (const one of await listUntold(context.db, reached)) {
    const { organization, meter } = one
    await tellOwners(context, one).catch((cause: unknown) =>
      context.log.error({ err: cause, organization, meter }, 'an organization was not told of its limit'),
    )
  }
}

async function listUntold(db: Knex, reached: readonly ReachedLimit[]): Promise<ReachedLimit[]> {
  if (reached.length === 0) return []
  const keys = reached.map(({ organization, meter, period, limit, percent }, place) => ({
    place,
    organization,
    meter,
    period,
    units_limit: limit,
    percent,
  }))
  const { rows } = await db.raw<{ rows: { place: number }[] }>(
    `select reached.place from jsonb_to_recordset(?::jsonb)
       reached (place int, organization uuid, meter text, period date, units_limit bigint, percent int)
     where not exists (select from quota_notices told where told.organization = reached.organization
         and (told.meter, told.period, told.units_limit, told.percent)
           = (reached.meter, reached.period, reached.units_limit, reached.percent))
     order by reached.place`,
    [JSON.stringify(keys)],
  )
  return rows.flatMap(({ place }) => reached[place] ?? [])
}

/** Tells it, unless another worker does. A smaller part that was passed at the same time counts as told too. */
async function tellOwners({ db, identity, settings }: Context, reached: ReachedLimit): Promise<void> {
  const { organization, meter, period, limit, used, percent } = reached
  await db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { percent: number }[] }>(
      `insert into quota_notices (organization, meter, period, units_limit, percent)
       select ?, ?, ?, ?, percent from unnest(?::smallint[]) percent on conflict do nothing returning percent`,
      [
        organization,
        meter,
        period,
        limit,
        noticePercents.filter((one) => one <= percent),
      ] as unknown as Knex.RawBinding[],
    )
    if (!rows.some((row) => row.percent === percent)) return
    await identity.mailOwners(trx, organization, ({ name, language }) =>
      quotaMails[language]({ ...reached, name, address: `${settings.baseUrl}/console` }),
    )
    await appendToTrail(trx, [
      {
        organization,
        actor: platformActor,
        action: 'quota.reach',
        target: { kind: 'organization', id: organization },
        change: `${meter}: ${used} of ${limit}, ${percent} %`,
      },
    ])
  })
}
