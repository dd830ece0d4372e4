import { accounts } from '../features/accounts/area.ts'
import { applications } from '../features/applications/area.ts'
import { audit } from '../features/audit/area.ts'
import { certification } from '../features/certification/area.ts'
import { demo } from '../features/demo/area.ts'
import { dpp } from '../features/dpp/area.ts'
import { events } from '../features/events/area.ts'
import { identity } from '../features/identity/area.ts'
import { imports } from '../features/imports/area.ts'
import { jobs } from '../features/jobs/area.ts'
import { loyalty } from '../features/loyalty/area.ts'
import { metrics } from '../features/metrics/area.ts'
import { organization } from '../features/organization/area.ts'
import { requests } from '../features/requests/area.ts'
import { setJobDeclarations } from '../kernel/ports/job-declarations.ts'
import { setRecordSinks } from '../kernel/ports/record-sinks.ts'
import { composeRegistry } from './areas/compose.ts'
import { installWords } from './areas/words.ts'

/** The areas of the product: the one list of them. Their operations stand in this order in the document. */
export const areas = [
  identity,
  applications,
  dpp,
  certification,
  imports,
  jobs,
  events,
  accounts,
  loyalty,
  metrics,
  audit,
  organization,
  requests,
  demo,
]

/** What the areas contribute together. */
export const registry = composeRegistry(areas)
setRecordSinks(registry.recordSinks)
setJobDeclarations(registry.jobs)
installWords(registry.words, registry.operations)
