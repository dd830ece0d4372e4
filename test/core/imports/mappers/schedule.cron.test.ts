import { expect } from 'chai'
import { findNextRun, findScheduleIssue } from '../../../../core/features/imports/mappers/schedule.cron.ts'

describe('Mapper: times of schedules', () => {
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
