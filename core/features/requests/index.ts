export { maxRequestsPerOrganization } from './requests.buffer.ts'
export { type AnsweredRequest, type RequestLog, startRequestLog } from './requests.log.ts'
export {
  type LoggedRequest,
  listRequests,
  type RequestCredential,
  requestDays,
  type RequestFilters,
  type RequestPage,
} from './requests.read.ts'
