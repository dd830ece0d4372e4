export { maxRequestsPerOrganization } from './requests.buffer.ts'
export { type RequestLog, startRequestLog } from './requests.log.ts'
export { type LoggedRequest, listRequests, type RequestFilters, type RequestPage } from './requests.read.ts'
