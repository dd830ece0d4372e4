import { judgeRequests } from './requests.property.ts'

judgeRequests('The request of a call with random arguments, two thousand of each operation', 2_000)
