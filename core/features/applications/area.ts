import { actions } from '../../kernel/permission.ts'
import { retentionReasons } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'
import { createApplicationOperations } from './applications.operations.ts'
import { deleteOldChecks, repairFutureChecks } from './domains/domains.limit.ts'
import { startDomainChecks } from './domains/domains.schedule.ts'
import { applicationProblemCodes } from './problem-codes.ts'

/** The brands or shops of an organization, and the domains that they have proven. */
export const applications = area({
  name: 'applications',
  problemCodes: applicationProblemCodes,
  events: { application: ['create', 'update', 'delete'] },
  permissions: {
    application: { owner: actions, admin: actions, editor: ['read', 'update'], viewer: ['read'] },
  },
  operations: createApplicationOperations,
  tags: {
    Applications: 'The brands or shops of an organization: their names, themes, settings and proven domains.',
  },
  toolset: {
    name: 'applications',
    topics: 'applications and their settings',
    paths: ['/v\\d+/(applications|organizations)(/|$)'],
  },
  cleaning: [{ name: 'checks of domains', run: deleteOldChecks }],
  clockRepairs: [{ name: 'checks of domains', run: repairFutureChecks }],
  services: [startDomainChecks],
  retentions: () => ({
    domain_checks: 'Go after an hour: deleteOldChecks.',
    applications: retentionReasons.organization,
    domain_secrets: retentionReasons.organization,
    application_domains: retentionReasons.organization,
  }),
})

declare module '../../kernel/words.ts' {
  interface EventSubjects {
    application: 'create' | 'update' | 'delete'
  }
  interface Resources {
    application: true
  }
}
