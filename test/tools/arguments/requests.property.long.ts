import { testRequests } from './requests.property.ts'

testRequests('tools/requests: random arguments, two thousand for each operation', 2_000)
