import { filtered, kept, type Part } from './plan.ts'
import type { Demo } from './request.ts'

/** What an application of the demo's own calls and reads. */
export const applicationNeeds = [
  'lookup_application_id', 'list_applications', 'create_application', 'delete_application',
]

/** The application that everything else belongs to: the one that was named, or one of the demo's own. */
export function applicationPart(demo: Demo): Part {
  const { applicationId, address } = demo
  const list = address('/v1/applications')
  if (applicationId !== null) {
    const read = filtered(list, { id: applicationId })
    const found = { id: 'application', read, expect: { '/total': 1 }, keep: { application: '/data/0/id' } }
    return { steps: [found], checks: [], teardown: [], stays: [] }
  }
  // The bracket ends the name, so that it is no part of the name of another run.
  const name = `Demo (${demo.runId})`
  const application = kept('application')
  const stays = `The application ${JSON.stringify(name)}: it has passports.`
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
        unless: { read: filtered(list, { id: application }), matches: { '/total': 0 } },
        tool: 'delete_application',
        arguments: { appId: application },
        expect: { '/id': application },
        refused: { APPLICATION_IN_USE: { stays } },
      },
    ],
    stays: [{ what: stays, read: filtered(list, { id: application }), expect: { '/total': 1 } }],
  }
}
