import { formatListAddress, formatPlaceholder, type PlanPart } from './plan.ts'
import type { DemoRequest } from './demo-request.ts'

/** The operations that are needed when the demo creates its own application. */
export const applicationOperations = [
  'lookup_application_id',
  'list_applications',
  'create_application',
  'delete_application',
]

/**
 * Creates the plan part for the application of the demo: the named application, or a new one.
 * @param options.hasPassports whether the demo has passports, which keep a new application from being deleted
 */
export function createApplicationPart(demo: DemoRequest, { hasPassports }: { hasPassports: boolean }): PlanPart {
  const { applicationId, getAddress } = demo
  const list = getAddress('/v1/applications')
  if (applicationId !== null) {
    const read = formatListAddress(list, { id: applicationId })
    const found = { id: 'application', read, expect: { '/total': 1 }, keep: { application: '/data/0/id' } }
    return { steps: [found], checks: [], teardown: [], stays: [] }
  }
  // The bracket ends the name, so that one run's name is never part of another run's name.
  const name = `Demo (${demo.runId})`
  const application = formatPlaceholder('application')
  const stays = `The application ${JSON.stringify(name)}: it has ${hasPassports ? 'passports' : 'accounts of people who came'}.`
  return {
    steps: [
      {
        id: 'application',
        unless: {
          tool: 'lookup_application_id',
          arguments: { name },
          matches: { '/match': 'exact' },
          keep: { application: '/applicationId' },
        },
        tool: 'create_application',
        arguments: { name, defaultNetwork: demo.network },
        expect: { '/name': name },
        keep: { application: '/id' },
      },
    ],
    checks: [],
    teardown: [
      {
        id: 'delete application',
        unless: { read: formatListAddress(list, { id: application }), matches: { '/total': 0 } },
        tool: 'delete_application',
        arguments: { appId: application },
        expect: { '/id': application },
        refused: { APPLICATION_IN_USE: { stays } },
      },
    ],
    stays: hasPassports
      ? [{ what: stays, read: formatListAddress(list, { id: application }), expect: { '/total': 1 } }]
      : [],
  }
}
