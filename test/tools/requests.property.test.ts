import { judgeRequests } from './requests.property.ts'

judgeRequests('The request of a call with random arguments', 100)
