import { area, type OrganizationErasure } from '../area.ts'
import { demoJob } from './demo.job.ts'

const eraseDemoRuns: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const own = () => trx('demo_runs').where({ organization })
    return own().whereIn('id', own().limit(limit).select('id')).delete()
  })

/** Demo environments: runs of the plans that assistants get as a prompt. They are on a page only. */
export const demo = area({
  name: 'demo',
  jobs: [demoJob],
  organizationErasures: [eraseDemoRuns],
  retentions: ({ jobRetentionDays }) => ({
    demo_runs: {
      days: jobRetentionDays,
      rows: `r.phase = 'remove' and r.status = 'done' and r.updated_at < :before`,
    },
    demo_calls: 'Go with their run.',
  }),
})

declare module '../../kernel/words.ts' {
  interface JobTypes {
    demo: true
  }
}
