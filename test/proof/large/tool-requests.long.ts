import { testRequests } from '../../tools/arguments/requests.property.ts'

testRequests('tools/requests: random arguments', 100)
