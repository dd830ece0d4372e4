import { area } from '../area.ts'
import { requestDays } from './requests.read.ts'
import { eraseRequests } from './requests.store.ts'

/** The log of the requests that organizations send. It is shown on a page only: no operation answers it. */
export const requests = area({
  name: 'requests',
  organizationErasures: [eraseRequests],
  retentions: () => ({ request_log: { days: requestDays, rows: 'r.at < :before' } }),
})
