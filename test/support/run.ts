import { runSuite } from './suite.ts'

await runSuite('.test.ts')
