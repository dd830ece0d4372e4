export { certifyOperations } from './certify.operations.ts'
export { publishJob } from './publish.jobs.ts'
export { publishOperations } from './publish.operations.ts'
